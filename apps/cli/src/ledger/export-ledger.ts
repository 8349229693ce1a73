import { once } from 'node:events';
import { stringify } from 'csv-stringify';
import { readForwards } from '#application/aggregate.js';
import { statement, type StatementLine } from '#audit/ledger/statement.js';
import { categoryPrefix, parseStreamName, streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { Operator } from '../operator.js';
import { printJsonLine } from '../output.js';
import { environmentsOf, pagesOfLog, timeOf } from '../places.js';
import { CliError, type EnvironmentOptions } from '../verb.js';

export interface ExportLedgerOptions extends EnvironmentOptions {
  readonly tenant?: string;
  readonly csv?: boolean;
  readonly from?: string;
  readonly to?: string;
}

/** In this order, and only ever added to at the end. */
const columns = [
  'environment',
  'tenant_id',
  'time',
  'revision',
  'kind',
  'id',
  'job_id',
  'operation',
  'label',
  'reason',
  'credits_delta',
  'balance_after',
  'request_id',
] as const;

type LedgerLine = Record<(typeof columns)[number], string | number | null>;

export async function exportLedger(options: ExportLedgerOptions): Promise<void> {
  const { csv, json, from, to } = options;
  if (!csv && !json) throw new CliError('say how: --csv, or --json for one line each');
  const period = {
    from: from === undefined ? undefined : timeOf('--from', from),
    to: to === undefined ? undefined : timeOf('--to', to),
  };
  if (period.from !== undefined && period.to !== undefined && period.from > period.to) {
    throw new CliError('--from must not be later than --to');
  }
  await using operator = await Operator.connect();
  const { store } = operator;
  const write = json ? writeJson() : writeCsv();
  for await (const account of accountsToExport(operator, options)) {
    const stream = streamName(account.environment, 'account', account.tenant);
    for await (const line of statement(readForwards(store, stream, 0n), period)) {
      await write.line(lineOf(account, line, options));
    }
  }
  await write.end();
}

async function* accountsToExport(
  operator: Operator,
  { env, tenant }: ExportLedgerOptions,
): AsyncGenerator<AccountStream> {
  if (tenant === undefined) return yield* accountStreams(operator.store, env);
  for (const environment of await operator.accountsOf(tenant, env)) yield { environment, tenant };
}

interface AccountStream {
  readonly environment: Environment;
  readonly tenant: string;
}

/** Every account that was ever opened, oldest first, of one environment or both. */
async function* accountStreams(
  store: EventStore,
  env: Environment | undefined,
): AsyncGenerator<AccountStream> {
  const streamPrefixes = environmentsOf(env).map((each) => categoryPrefix(each, 'account'));
  const filter = { types: ['AccountOpened'], streamPrefixes };
  for await (const page of pagesOfLog(store, { filter, limit: 1000 }))
    for (const { stream } of page) {
      const name = parseStreamName(stream);
      if (name) yield { environment: name.environment, tenant: name.id };
    }
}

function lineOf(
  { environment, tenant }: AccountStream,
  line: StatementLine,
  { from, to }: ExportLedgerOptions,
): LedgerLine {
  const account = { environment, tenant_id: tenant };
  const blank = { job_id: null, operation: null, label: null, reason: null, request_id: null };
  if (line.kind !== 'movement') {
    const { kind, revision, balance } = line;
    const time = (kind === 'opening' ? from : to) ?? null;
    const figures = { credits_delta: null, balance_after: balance };
    return { ...account, time, revision, kind: `${kind}_balance`, id: null, ...blank, ...figures };
  }
  const { movement } = line;
  return {
    ...account,
    ...{ time: movement.at, revision: movement.revision, kind: movement.kind, id: movement.id },
    ...{ job_id: movement.jobId, operation: movement.operation, label: movement.label },
    ...{ reason: movement.reason, request_id: movement.requestId },
    ...{ credits_delta: movement.creditsDelta, balance_after: movement.balanceAfter },
  };
}

/** Waits until the reader has taken a line: an export is as long as history. */
interface LineWriter {
  line(line: LedgerLine): Promise<void>;
  end(): Promise<void>;
}

function writeJson(): LineWriter {
  return {
    line: async (line) => {
      printJsonLine(line);
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
    end: () => Promise.resolve(),
  };
}

function writeCsv(): LineWriter {
  const csv = stringify({ header: true, columns: [...columns], cast: { string: harmless } });
  csv.pipe(process.stdout, { end: false });
  const written = once(csv, 'end');
  return {
    line: async (line) => {
      if (!csv.write(line)) await once(csv, 'drain');
    },
    end: async () => {
      csv.end();
      await written;
    },
  };
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe, which makes it text there. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}

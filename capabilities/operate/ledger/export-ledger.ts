import { readForwards } from '#application/aggregate.js';
import { statement, type StatementLine } from '../audit/ledger/statement.js';
import { categoryPrefix, parseStreamName, streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { IdField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf, timeOf } from '#operator-calls/input.js';
import { asCsv, jsonLines, printPieces } from '#operator-calls/lines.js';
import type { Operator } from '#operator-calls/operator.js';
import { pagesOfLog } from '../log-reading.js';
import { CallRefused } from '#operator-calls/call-refused.js';

class ExportedPeriod extends InEnvironment {
  @IdField({ description: 'Only the account of this tenant.' })
  tenant?: string;

  @TextField({ description: 'From this time on, inclusive.', min: 1, max: 40 })
  from?: string;

  @TextField({ description: 'Up to this time, exclusive.', min: 1, max: 40 })
  to?: string;
}

/** The order is fixed. New columns come only at the end. */
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

type LedgerLine = Record<
  Exclude<(typeof columns)[number], 'revision' | 'credits_delta' | 'balance_after'>,
  string | null
> & {
  readonly revision: number;
  readonly credits_delta: number | null;
  readonly balance_after: number;
};

/**
 * Exports the opening balance, movements and closing balance of each account. The opening balance and the
 * movements sum to the closing balance.
 */
export const exportLedger = defineCall({
  name: 'ledger export',
  route: 'GET /ledger/export',
  may: ['read'],
  summary: 'The movements of every account, with opening and closing balance',
  input: ExportedPeriod,
  lines: columns,
  async run(operator, input) {
    const { from, to } = input;
    const period = {
      from: from === undefined ? undefined : timeOf('--from', from),
      to: to === undefined ? undefined : timeOf('--to', to),
    };
    if (period.from !== undefined && period.to !== undefined && period.from > period.to)
      throw new CallRefused('--from must not be later than --to');
    // Looked up before the answer begins, so that an unknown tenant gives an error status.
    const accounts = await accountsToExport(operator, input);
    return linesOfAccounts(operator.store, accounts, input, period);
  },
  print: (lines, _input, { json, csv }) => {
    if (!csv && !json) throw new CallRefused('say how: --csv, or --json for one line each');
    return printPieces(json ? jsonLines(lines) : asCsv(lines, columns));
  },
});

async function* linesOfAccounts(
  store: EventStore,
  accounts: AsyncIterable<AccountStream> | readonly AccountStream[],
  input: ExportedPeriod,
  period: { readonly from: number | undefined; readonly to: number | undefined },
): AsyncGenerator<LedgerLine, void> {
  for await (const account of accounts) {
    const stream = streamName(account.environment, 'account', account.tenant);
    for await (const line of statement(readForwards(store, stream, 0n), period))
      yield lineOf(account, line, input);
  }
}

async function accountsToExport(
  operator: Operator,
  { env, tenant }: ExportedPeriod,
): Promise<AsyncIterable<AccountStream> | AccountStream[]> {
  if (tenant === undefined) return accountStreams(operator.store, env);
  return (await operator.accountsOf(tenant, env)).map((environment) => ({ environment, tenant }));
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
  { from, to }: ExportedPeriod,
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
    time: movement.at,
    revision: movement.revision,
    kind: movement.kind,
    id: movement.id,
    job_id: movement.jobId,
    operation: movement.operation,
    label: movement.label,
    reason: movement.reason,
    request_id: movement.requestId,
    credits_delta: movement.creditsDelta,
    balance_after: movement.balanceAfter,
  };
}

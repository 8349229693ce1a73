import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AccountWriter } from '#application/account/account-writer.js';
import { audit, type AuditReport } from '../audit/audit.js';
import { environments } from '#domain/streams.js';
import { ExportedLog, NotAnExport } from '../copy/exported-log.js';
import type { EventStore, ExpectedRevision, RecordedEvent } from '#event-store/event-store.js';
import { redoneWorks } from '#capabilities/parts.js';
import { openEventStore, prepareEventStore } from '#event-store/open-event-store.js';
import { noSnapshots } from '#event-store/snapshots.js';
import { defaults, type Configuration } from '#platform/configuration.js';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { errorCode } from '#platform/errors.js';
import { readModels } from '#projections/read-models.js';
import { foldsForAudit } from '../ledger/folds-for-audit.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { rebuild } from '../rebuild/rebuild.js';
import { balancesOf, readersOf } from '../ledger/audit-ledger.js';
import { printJson, printLine } from '#operator-calls/output.js';
import { withProgress } from '../command/progress.js';
import type { LogProgress } from '#operator-calls/call.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { OutputOptions } from '#operator-calls/verb.js';
import { requireFile } from './copy-events.js';

export interface DrillOptions extends OutputOptions {
  /**
   * An empty database of PostgreSQL. If absent, the drill runs an embedded server in a folder that it removes
   * afterwards.
   */
  readonly scratch?: string;
}

/** The configuration of the service, if there is one here: history is checked against its keys. */
function ownConfiguration(): Configuration | undefined {
  try {
    return findConfiguration();
  } catch {
    // A drill needs no service.
    return undefined;
  }
}

/** The report that `--json` prints. */
interface DrillReport {
  readonly holds: boolean;
  readonly file: string;
  /** The time of the backup's last event: later events would be lost. */
  readonly last_event_at: string | null;
  /** All events in the file, seals included. */
  readonly restored_events: number;
  /** Events without the seals. */
  readonly events: number;
  readonly streams: number;
  /** Events under a seal that was verified. */
  readonly sealed_events: number;
  readonly rows: number;
  readonly restore_seconds: number;
  readonly rebuild_seconds: number;
  readonly audit_seconds: number;
  /**
   * By kind: the work that the service does again before it answers, because the backup is from before it. Empty where
   * there is no service to ask.
   */
  readonly done_again: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

/**
 * Proves a backup: restores an export of the log into a scratch place, folds all read models from it and audits
 * both. It neither changes nor reads the data that serves callers. The exit code is 0 only if everything holds.
 */
export async function drillRestore(path: string, { scratch, json }: DrillOptions): Promise<void> {
  const file = resolve(path);
  requireFile(file);
  await using place = await scratchPlace(scratch);
  const report = await withProgress('the drill was stopped, and nothing was changed', (signal, onProgress) =>
    drill(file, place.url, signal, onProgress),
  ).catch((error: unknown) => {
    throw error instanceof NotAnExport ? new CallRefused(error.message) : error;
  });
  if (json) printJson(report);
  else printReport(report);
  if (!report.holds)
    throw new CallRefused('a restore of this backup does not give the original state: see the lines above');
}

async function drill(
  file: string,
  url: string,
  signal: AbortSignal,
  onProgress: (progress: LogProgress) => void,
): Promise<DrillReport> {
  const urls = { eventStoreUrl: url, databaseUrl: url };
  await prepareEventStore(urls);
  await migrateReadStore(url, readModels);
  await using target = await openEventStore(urls);
  const { store } = target;
  if ((await store.head()) !== undefined)
    throw new CallRefused('--scratch names a database that holds events: give an empty one');
  const source = new ExportedLog(file);
  const last = await source.lastEvent();
  const restored = await timed(() =>
    restoreInOrder(source, store, signal, (position, events) =>
      onProgress({ phase: 'restoring', position, from: 0n, through: last?.position ?? 0n, events }),
    ),
  );
  const rebuilt = await timed(async () => {
    for (const environment of environments)
      await rebuild({ url, eventStore: store, environment, readModels, signal, onProgress });
  });
  const readers = await readersOf({ store, configuration: ownConfiguration(), isBackup: true });
  const audited = await timed(() =>
    audit({
      store,
      readStoreUrl: url,
      logUrl: url,
      readModels: foldsForAudit(readModels),
      environments,
      readBalance: balancesOf({ accounts: new AccountWriter(store, noSnapshots) }),
      // Work that was under way when the backup was made had no time to end.
      horizonMs: defaults.orphanHorizonMs,
      now: last ? Date.parse(last.metadata.recordedAt) : 0,
      readers,
      signal,
      onProgress,
    }),
  );
  const { holds, events, streams, findings, checks } = audited.result;
  return {
    holds,
    file,
    last_event_at: last?.metadata.recordedAt ?? null,
    restored_events: restored.result,
    events,
    streams,
    sealed_events: readers.reduce((sum, { proven }) => sum + proven, 0),
    rows: rowsIn(checks),
    restore_seconds: restored.seconds,
    rebuild_seconds: rebuilt.seconds,
    audit_seconds: audited.seconds,
    done_again: await doneAgain(store),
    wrong: findings.map(({ check, message, table }) => `${check}: ${message}${table ? ` (${table})` : ''}`),
  };
}

/** How many rows of read models were compared. */
function rowsIn(checks: AuditReport['checks']): number {
  return checks.filter(({ invariant }) => invariant === 8).reduce((sum, { checked }) => sum + checked, 0);
}

async function doneAgain(store: EventStore): Promise<Record<string, number>> {
  const configuration = ownConfiguration();
  if (!configuration) return {};
  const works = await redoneWorks();
  const counts = works.map(async (work) => [work.what, await work.count(store, configuration)] as const);
  return Object.fromEntries(await Promise.all(counts));
}

/** The number of events that are appended together, in their order. Each stream occurs once. */
const togetherEvents = 200;

/**
 * Restores every event, seals included, in exactly the order of the file.
 * @returns how many
 * @throws CallRefused if a stream is not whole
 */
async function restoreInOrder(
  source: ExportedLog,
  target: EventStore,
  signal: AbortSignal,
  onProgress: (position: bigint, events: number) => void,
): Promise<number> {
  const waiting = new Map<string, RecordedEvent[]>();
  let [events, newest] = [0, ''];
  const write = async () => {
    const writes = [...waiting].map(([stream, own]) => ({
      stream,
      expectedRevision: before(own[0]),
      events: own,
    }));
    waiting.clear();
    const answer = writes.length > 0 ? await target.appendTogether?.(writes) : undefined;
    if (answer?.outcome === 'wrong-expected-revision')
      throw new CallRefused(
        `the file does not hold the whole log: events of ${answer.streams[0]} are missing`,
      );
  };
  for await (const { events: batch, position } of source.subscribe({ signal })) {
    for (const event of batch) {
      const { stream } = event;
      // Otherwise the stream's earlier events would come after events of other streams that lie between.
      if ((waiting.has(stream) && stream !== newest) || events % togetherEvents === 0) await write();
      waiting.set(stream, [...(waiting.get(stream) ?? []), event]);
      [newest, events] = [stream, events + 1];
    }
    signal.throwIfAborted();
    onProgress(position, events);
  }
  await write();
  return events;
}

const before = (first: RecordedEvent | undefined): ExpectedRevision =>
  first === undefined || first.revision === 0n ? 'no-stream' : first.revision - 1n;

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const beganAt = performance.now();
  const result = await work();
  return { result, seconds: Math.round((performance.now() - beganAt) / 100) / 10 };
}

/** @throws CallRefused if no embedded PostgreSQL can be started */
async function scratchPlace(url: string | undefined): Promise<AsyncDisposable & { readonly url: string }> {
  if (url !== undefined) return { url, [Symbol.asyncDispose]: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'atelier-drill-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const log = join(folder, 'postgres.log');
    const server = await startEmbeddedPostgres({ dataDirectory: join(folder, 'postgres'), logFile: log });
    return { url: server.url, [Symbol.asyncDispose]: () => server.stop().then(remove) };
  } catch (error) {
    await remove();
    throw new CallRefused(
      `an embedded PostgreSQL cannot be started here (${errorCode(error) ?? String(error)}): name an empty database with --scratch`,
    );
  }
}

function printReport(report: DrillReport): void {
  const { restored_events: restored, events } = report;
  printLine(
    `${restored} events were restored in ${report.restore_seconds} s: ${events} of ${report.streams} streams, and ${restored - events} seals.`,
  );
  printLine(
    `${report.rows} rows were folded from these events in ${report.rebuild_seconds} s, and audited in ${report.audit_seconds} s.`,
  );
  if (report.last_event_at)
    printLine(`The last event is from ${report.last_event_at}: a restore would lose everything later.`);
  for (const [what, count] of Object.entries(report.done_again))
    if (count > 0)
      printLine(
        `${count} ${what} are later than this backup: the service does them again before it answers.`,
      );
  for (const line of report.wrong) printLine(line);
  printLine(report.holds ? 'All checks hold: this backup can be restored.' : 'NOT all checks hold.');
}

import { parseStreamName, type Environment } from '#domain/streams.js';
import { walkLog } from '#event-store/copy/walk-log.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { checks } from './checks.js';
import type { AuditOptions, AuditPhase, AuditReport, CheckResult } from './audit-options.js';
import { checkAnswers } from './compare/answers.js';
import { checkLedgerSums, checkShownBalances, type BalancesAtCheckpoint } from './compare/balances.js';
import { compareRows, type Comparison } from './compare/compare-rows.js';
import { ExpectedRows } from './compare/expected-rows.js';
import { RowExplanations } from './compare/explain-rows.js';
import { checkReadModelsLive } from './compare/read-models-live.js';
import { ReadStoreSnapshot } from './compare/read-store-snapshot.js';
import { Findings } from './findings.js';
import { auditedEvent, placeOf, type AuditedEvent } from './audited-event.js';
import { History } from './history/history.js';
import { TenantFilter } from './history/tenant-filter.js';
import { rowModels } from './rows/row-models.js';

/**
 * Reads the history once, folds the audit's own model of it, and holds it against itself and against the read store,
 * as that was at one moment. Only where something differs is the history read a second time, to say what.
 * @throws the signal's reason, and what store and database throw
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { environments, readStoreUrl, cut } = options;
  if (cut) return new Audit(options, undefined).run();
  await using snapshot = await ReadStoreSnapshot.take(readStoreUrl, environments);
  return await new Audit(options, snapshot).run();
}

class Audit {
  private readonly findings = new Findings();
  private readonly history: History;
  private readonly expected: readonly ExpectedRows[];
  /** By environment: the balances at the checkpoint of its ledger. */
  private readonly balances = new Map<Environment, BalancesAtCheckpoint>();
  private head: bigint | undefined;

  constructor(
    private readonly options: AuditOptions,
    private readonly snapshot: ReadStoreSnapshot | undefined,
  ) {
    const { tenant } = options;
    this.history = new History(this.findings, { tenant });
    const compared = tenant === undefined ? rowModels : rowModels.filter((model) => model.tenantColumn);
    this.expected = (snapshot?.serving ?? []).flatMap((serving) => {
      const model = compared.find(({ name }) => name === serving.name);
      return model ? [new ExpectedRows(model, serving)] : [];
    });
  }

  async run(): Promise<AuditReport> {
    const { store, cut, horizonMs, now } = this.options;
    // After the snapshot was taken, so that no checkpoint in it lies beyond.
    this.head = await store.head();
    await this.readHistory();
    const asOf = cut === undefined ? now : 'time' in cut ? cut.time : this.history.newest;
    this.history.end(asOf, horizonMs);
    const comparisons = this.snapshot ? await this.compare(this.snapshot) : [];
    await this.lookCloser(new RowExplanations(comparisons));
    if (this.snapshot) await this.checkReadStore(this.snapshot, comparisons);
    return this.report();
  }

  private async readHistory(): Promise<void> {
    const ledgers = this.expected.filter(({ model }) => model.name === 'ledger');
    for await (const events of this.log('reading history')) {
      for (const recorded of events) {
        for (const { serving, environment } of ledgers) {
          if (recorded.position > (serving.position ?? -1n)) this.keepBalances(environment);
        }
        const event = this.history.apply(recorded);
        if (event) for (const expected of this.expected) expected.apply(event);
      }
    }
    for (const { environment } of ledgers) this.keepBalances(environment);
  }

  /** Of the accounts as they are at this event, the first time that it is asked for. */
  private keepBalances(environment: Environment): void {
    if (this.balances.has(environment)) return;
    const accounts = [...this.history.accounts.all].filter((account) => account.environment === environment);
    this.balances.set(environment, new Map(accounts.map(({ stream, balance }) => [stream, balance])));
  }

  private async compare(snapshot: ReadStoreSnapshot): Promise<Comparison[]> {
    const comparisons: Comparison[] = [];
    const through = BigInt(this.expected.reduce((sum, { rows }) => sum + rows.size, 0));
    let position = 0n;
    const onRows = (count: number) => {
      this.options.signal.throwIfAborted();
      position += BigInt(count);
      this.options.onProgress?.({ phase: 'comparing rows', position, from: 0n, through });
    };
    for (const expected of this.expected) {
      const { tenant } = this.options;
      comparisons.push(await compareRows(snapshot, expected, this.findings, { tenant, onRows }));
    }
    return comparisons;
  }

  /** Of what is suspected, the history is read again. */
  private async lookCloser(rows: RowExplanations): Promise<void> {
    const { eventIds } = this.history;
    if (!rows.isNeeded && eventIds.suspects.size === 0) return;
    const filter = new TenantFilter(this.options.tenant);
    for await (const events of this.log('looking closer')) {
      for (const recorded of events) {
        const place = placeOf(recorded);
        if (!place || !filter.concerns(recorded, place)) continue;
        eventIds.seeAgain(recorded.id, place);
        const event = readAgain(recorded);
        if (event) rows.apply(event);
      }
    }
    eventIds.report();
    const parked = (this.snapshot?.parked ?? []).map(
      ({ environment, name, stream }) => `${environment}.${name} ${stream}`,
    );
    rows.report(this.findings, new Set(parked));
  }

  private async checkReadStore(
    snapshot: ReadStoreSnapshot,
    comparisons: readonly Comparison[],
  ): Promise<void> {
    const { findings, history, options } = this;
    const { tenant, environments, store, readBalance, readStoreUrl: url, patienceMs = 10_000 } = options;
    for (const { expected, sums } of comparisons) {
      if (expected.model.name !== 'ledger') continue;
      checkLedgerSums(expected.environment, sums, this.balances.get(expected.environment)!, findings);
    }
    await checkAnswers(snapshot, environments, tenant, history, findings);
    await checkShownBalances(store, history.accounts.all, readBalance, findings);
    const concerns = (stream: string) => tenant === undefined || history.streams.ownerOf(stream) === tenant;
    const live = { url, environments, concerns, patienceMs };
    const served = tenant === undefined ? this.expected : this.withoutTenants(snapshot);
    await checkReadModelsLive(served, snapshot.parked, this.head ?? 0n, findings, live);
  }

  /** An audit of one tenant does not compare the read models of the installation, which serve all the same. */
  private withoutTenants({ serving }: ReadStoreSnapshot): ExpectedRows[] {
    return serving.flatMap((each) => {
      const known = this.expected.find((expected) => expected.serving === each);
      const model = rowModels.find(({ name }) => name === each.name);
      return known ?? (model ? new ExpectedRows(model, each) : []);
    });
  }

  /** The log up to the head or the cut, of the environments that are asked for. */
  private async *log(phase: AuditPhase): AsyncGenerator<readonly RecordedEvent[]> {
    const { store, environments, cut, signal, onProgress } = this.options;
    const { through } = this;
    const isWanted = ({ stream }: RecordedEvent) =>
      environments.some((environment) => stream.startsWith(`${environment}.`)) || environments.length > 1;
    let read = 0;
    for await (const { events, position } of walkLog(store, { through, signal })) {
      const end = cut && 'time' in cut ? events.findIndex((event) => recordedAt(event) > cut.time) : -1;
      const within = end < 0 ? events : events.slice(0, end);
      this.lastRead = within.at(-1)?.position ?? this.lastRead;
      yield within.filter(isWanted);
      if (end >= 0) return;
      const progress = { phase, from: 0n, through: through ?? 0n, position };
      onProgress?.({ ...progress, events: (read += events.length) });
    }
  }

  private lastRead: bigint | undefined;

  private get through(): bigint | undefined {
    const { cut } = this.options;
    const { head } = this;
    if (head === undefined || cut === undefined || 'time' in cut) return head;
    return cut.position < head ? cut.position : head;
  }

  private report(): AuditReport {
    const { findings, history, snapshot, options } = this;
    const results = checks.map((check): CheckResult => {
      const isCompared = check.scope === 'history' || snapshot !== undefined;
      const done = isCompared && !(check.name === 'presets' && options.tenant !== undefined);
      return { ...check, ...findings.of(check.name), done };
    });
    return {
      holds: results.every(({ wrong }) => wrong === 0),
      head: this.lastRead,
      events: history.events,
      streams: history.streams.size,
      foreign: history.foreign,
      checks: results,
      findings: findings.all,
    };
  }
}

/** Not a number for what others have written, of which nothing is known. */
function recordedAt({ stream, metadata }: RecordedEvent): number {
  return parseStreamName(stream) ? Date.parse(metadata.recordedAt) : Number.NaN;
}

/** What could not be read the first time was told then. */
function readAgain(recorded: RecordedEvent): AuditedEvent | undefined {
  const place = placeOf(recorded);
  try {
    return place && auditedEvent(recorded, place);
  } catch {
    return undefined;
  }
}

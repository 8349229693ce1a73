import { logStreams, rulesOfCapabilities } from '#capabilities/parts.js';
import type { HistoryReader } from '#operator-calls/history-audit.js';
import {
  environments as allEnvironments,
  parseStreamName,
  type Environment,
  type StreamCategory,
} from '#domain/streams.js';
import { walkLog } from '#event-store/walk-log.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { auditedEvent, placeOf, TenantFilter, type AuditedEvent, type EventOrigin } from './audited-event.js';
import {
  AuditedAnswers,
  checkLedgerSums,
  checkShownBalances,
  type BalancesAtCheckpoint,
  type ReadBalance,
} from './compare/balances.js';
import { compareTable, ExpectedRows, type ComparedTable } from './compare/compare-rows.js';
import { RowExplanations } from './compare/explain-rows.js';
import {
  checkCheckpoints,
  checkStreamRevisions,
  readCheckpoints,
  type KeptCheckpoint,
} from './compare/checkpoints.js';
import { WaitingJobs } from './compare/waiting-jobs.js';
import { checkReadModelsLive, ownFolds } from './compare/read-models-live.js';
import { ReadStoreSnapshot } from './compare/read-store-snapshot.js';
import { checkCatalogue, type AuditedSchema } from './database/check-catalogue.js';
import { catalogueOf } from './database/read-catalogue.js';
import { AuditFindings, checks, type AuditCheck, type Finding, type Tally } from './findings.js';
import { History } from './history/history.js';
import type { ReadModelFold } from './rows/folded-rows.js';
import { keysSchema, logSchema } from '#event-store/postgres/schema.js';
import { schema as queueSchema } from '#render-queue/queue-levels.js';

export type AuditPhase = 'reading history' | 'comparing rows' | 'looking closer';

export interface AuditProgress {
  readonly phase: AuditPhase;
  /** Position in the log, or among the rows while those are compared. */
  readonly position: bigint;
  readonly from: bigint;
  readonly through: bigint;
  /** Events read in this phase; absent while rows are compared. */
  readonly events?: number;
}

/** The end of the audited history: the position of its last event, or the time after which events do not count. */
export type Cut = { readonly position: bigint } | { readonly time: number };

export interface AuditOptions {
  readonly store: EventStore;
  /** The database of the read models. They are compared only without a cut, because they have no earlier states. */
  readonly readStoreUrl: string;
  /** All read models. */
  readonly readModels: readonly ReadModelFold[];
  readonly readBalance: ReadBalance;
  /**
   * Names of the process managers, which all follow jobs. If absent, the audit checks neither them nor the
   * render queue.
   */
  readonly processManagers?: readonly string[];
  readonly environments: readonly Environment[];
  readonly tenant?: string | undefined;
  readonly cut?: Cut | undefined;
  /** How long a charge that should be closed may stay open, in milliseconds. */
  readonly horizonMs: number;
  /** URL of the PostgreSQL that holds the log. If absent, the audit does not check its tables and functions. */
  readonly logUrl?: string | undefined;
  /**
   * Readers that check history their own way while the audit reads it. They take no part in an audit of only a
   * part of the log.
   */
  readonly readers?: readonly HistoryReader[];
  /**
   * True if the store was opened with the key that events are proven with. Such a store marks the events of
   * other writers.
   */
  readonly knowsWriters?: boolean;
  /** How long a read model may stand still before the end of the log, in milliseconds. */
  readonly patienceMs?: number;
  readonly now: number;
  readonly signal: AbortSignal;
  onProgress?(progress: AuditProgress): void;
}

export interface CheckResult extends AuditCheck, Tally {
  /** False if the check does not apply to the part of the data that was audited. */
  readonly done: boolean;
}

export interface AuditReport {
  /** True when everything that was checked holds. */
  readonly holds: boolean;
  /** Position of the last event that was read; undefined: there is none. */
  readonly head: bigint | undefined;
  readonly events: number;
  readonly streams: number;
  /** Events of streams that this service does not write. */
  readonly foreign: number;
  readonly checks: readonly CheckResult[];
  readonly findings: readonly Finding[];
  /** Things that the audit did not look at. They are not findings. */
  readonly notes: readonly string[];
}

/**
 * Reads the history once, folds the audit's own model of it, and checks the model and one snapshot of the read store.
 * If a row differs, it reads the history a second time to find out how.
 * @throws the signal's reason, and what store and database throw
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { environments, readStoreUrl, cut } = options;
  if (cut) return new Audit(options, undefined).run();
  await ownFolds(readStoreUrl, options.readModels, environments, options.patienceMs ?? usualPatienceMs);
  await using snapshot = await ReadStoreSnapshot.take(readStoreUrl, environments);
  return await new Audit(options, snapshot).run();
}

const usualPatienceMs = 10_000;

class Audit {
  private readonly findings = new AuditFindings();
  private readonly history: History;
  private readonly expected: readonly ExpectedRows[];
  private readonly concerned = new Map<string, readonly ExpectedRows[]>();
  /** By environment: the balances at the checkpoint of its ledger. */
  private readonly balances = new Map<Environment, BalancesAtCheckpoint>();
  private checkpoints: readonly KeptCheckpoint[] = [];
  private readonly answers: AuditedAnswers[] = [];
  private readonly waiting = new WaitingJobs();
  /** By environment, the jobs that have a task; empty if the queue is not checked. */
  private readonly tasks = new Map<Environment, ReadonlySet<string>>();
  private readonly folded = new Map<
    Environment,
    { readonly position: bigint; readonly categories: ReadonlySet<StreamCategory> }
  >();
  /** Streams that have gone on since the read models' checkpoints. */
  private readonly earlier = new Map<string, bigint>();
  private knownStreams = 0;
  /** Where the log ends: no checkpoint of the snapshot lies beyond. */
  private head: bigint | undefined;
  private lastRead: bigint | undefined;
  /** The readers whose checks apply to this log. */
  private readers: readonly HistoryReader[] = [];

  constructor(
    private readonly options: AuditOptions,
    private readonly snapshot: ReadStoreSnapshot | undefined,
  ) {
    const { tenant, readModels, store } = options;
    this.history = new History(this.findings, { tenant });
    // Presets have no tenant, so an audit of one tenant does not compare them.
    const compared = readModels.filter(
      ({ columns }) => tenant === undefined || columns.some(({ name }) => name === 'tenant'),
    );
    this.expected = (snapshot?.serving ?? []).flatMap((serving) => {
      const model = compared.find(({ name }) => name === serving.name);
      return model ? [new ExpectedRows(model, serving, store)] : [];
    });
  }

  async run(): Promise<AuditReport> {
    const { store, cut, horizonMs, now } = this.options;
    this.readers = await this.openReaders();
    if (this.snapshot) await this.prepare(this.snapshot);
    this.head = await store.head();
    await this.readHistory();
    for (const reader of this.readers) await reader.end(cut ? undefined : now);
    const asOf = cut === undefined ? now : 'time' in cut ? cut.time : this.history.newest;
    this.history.end(asOf, horizonMs);
    const tables = this.snapshot ? await this.compare(this.snapshot) : [];
    await this.lookCloser(new RowExplanations(tables, store));
    if (this.snapshot) await this.checkReadStore(this.snapshot, tables);
    return this.report();
  }

  private async openReaders(): Promise<HistoryReader[]> {
    const { readers = [], store, tenant, environments } = this.options;
    if (tenant !== undefined || environments.length < allEnvironments.length) return [];
    const opened: HistoryReader[] = [];
    for (const reader of readers) if (await reader.open(store, this.findings)) opened.push(reader);
    return opened;
  }

  private async readHistory(): Promise<void> {
    const ledgers = this.expected.filter(({ check }) => check === 'ledger');
    for await (const events of this.log('reading history')) {
      for (const reader of this.readers) await reader.apply(events);
      for (const recorded of events) {
        if (logStreams.has(recorded.stream)) continue;
        this.checkWriter(recorded);
        for (const { serving, environment } of ledgers) {
          if (recorded.position > (serving.position ?? -1n)) this.keepBalances(environment);
        }
        const event = this.history.apply(recorded);
        if (!event) continue;
        this.follow(recorded, event);
        for (const expected of this.expectedBy(event)) {
          const rereading = expected.apply(event);
          if (rereading) await rereading;
        }
      }
    }
    for (const { environment } of ledgers) this.keepBalances(environment);
  }

  private checkWriter({ stream, revision, type, id, unproven }: RecordedEvent): void {
    if (!this.options.knowsWriters) return;
    this.findings.checked('writers');
    if (unproven === undefined) return;
    const message = `${type} (${id}) was not written by this service: it ${unproven}`;
    const place = { stream, revision: Number(revision) };
    this.findings.wrongAt(place, 'writers', message, 'a valid MAC', unproven);
  }

  /** The rows that events of such streams may concern. */
  private expectedBy({ environment, category }: EventOrigin): readonly ExpectedRows[] {
    const streams = `${environment}.${category}`;
    let concerned = this.concerned.get(streams);
    if (!concerned) {
      concerned = this.expected.filter(
        ({ serving, model }) => serving.environment === environment && model.categories.includes(category),
      );
      this.concerned.set(streams, concerned);
    }
    return concerned;
  }

  /** Keeps the balances of the accounts at this event. Only the first call for an environment has an effect. */
  private keepBalances(environment: Environment): void {
    if (this.balances.has(environment)) return;
    const accounts = [...this.history.accounts.all].filter((account) => account.environment === environment);
    this.balances.set(environment, new Map(accounts.map(({ tenant, balance }) => [tenant, balance])));
  }

  private async compare(snapshot: ReadStoreSnapshot): Promise<ComparedTable[]> {
    const { tenant, signal, onProgress } = this.options;
    const tables: ComparedTable[] = [];
    const through = BigInt(this.expected.reduce((sum, { size }) => sum + size, 0));
    let position = 0n;
    const onRows = (count: number) => {
      signal.throwIfAborted();
      position += BigInt(count);
      onProgress?.({ phase: 'comparing rows', position, from: 0n, through });
    };
    for (const expected of this.expected)
      tables.push(await compareTable(snapshot, expected, this.findings, { tenant, onRows }));
    return tables;
  }

  /** Reads the history again for what is suspected. */
  private async lookCloser(rows: RowExplanations): Promise<void> {
    const { eventIds } = this.history;
    if (!rows.isNeeded && !eventIds.areSuspected) return;
    const filter = new TenantFilter(this.options.tenant);
    for await (const events of this.log('looking closer')) {
      for (const recorded of events) {
        const place = placeOf(recorded);
        if (!place || !filter.concerns(place)) continue;
        eventIds.seeAgain(recorded.id, place);
        const event = readAgain(place);
        if (event) await rows.apply(event);
      }
    }
    eventIds.report();
    const parked = this.snapshot?.parked.map((each) => `${each.environment}.${each.name} ${each.stream}`);
    rows.report(this.findings, new Set(parked));
  }

  private async checkReadStore(snapshot: ReadStoreSnapshot, tables: readonly ComparedTable[]): Promise<void> {
    const { findings, history, options, head = 0n } = this;
    const { tenant, environments, store, readBalance, readModels, patienceMs = usualPatienceMs } = options;
    for (const { expected, sums } of tables) {
      const balances = this.balances.get(expected.environment);
      if (expected.check === 'ledger' && balances)
        checkLedgerSums(expected.environment, sums, balances, findings);
    }
    for (const answers of this.answers) answers.end(history);
    if (tenant === undefined) {
      await this.checkConsumers(snapshot);
      await this.checkDatabase(snapshot);
    }
    for (const [environment, tasks] of this.tasks)
      await this.waiting.check(environment, tasks, options.now - options.horizonMs, store, findings);
    await checkShownBalances(store, history.accounts.all, readBalance, findings);
    const behind = this.expected.filter(({ beyond }) => beyond > 0);
    await checkReadModelsLive(snapshot, findings, {
      url: options.readStoreUrl,
      environments,
      head,
      patienceMs,
      models: readModels,
      concerns: (stream) => tenant === undefined || history.streams.ownerOf(stream) === tenant,
      beyond: new Map(behind.map(({ table, beyond }) => [table, beyond])),
    });
  }

  /** Checks that the parts of the schema that affect reads and writes are those of this release. */
  private async checkDatabase(snapshot: ReadStoreSnapshot): Promise<void> {
    const { environments, readModels, logUrl, readStoreUrl } = this.options;
    const isQueueThere = snapshot.catalogue.some(({ schema }) => schema === queueSchema);
    const plain = ['read_store', ...(isQueueThere ? [queueSchema] : [])];
    const schemas = plain.map((schema): AuditedSchema => ({ schema, readModels: [] }));
    for (const environment of environments) {
      const models = readModels.map((fold) => {
        const serving = snapshot.serving.find(
          (each) => each.environment === environment && each.name === fold.name,
        );
        const shown = snapshot.generationShown({ environment, name: fold.name });
        return { fold, generation: serving?.generation ?? shown ?? 1 };
      });
      schemas.push({ schema: environment, isEnvironment: true, readModels: models });
    }
    checkCatalogue(snapshot.catalogue, schemas, this.findings);
    if (logUrl === undefined) return;
    const log = await catalogueOf(logUrl, [logSchema, keysSchema]);
    // The keys may be in a database of their own.
    const hasKeys = log.some(({ schema }) => schema === keysSchema);
    const ofLog = hasKeys ? [logSchema, keysSchema] : [logSchema];
    // If log and read store share a database, the findings about that database were already reported above.
    const found = logUrl === readStoreUrl ? log.filter(({ schema }) => ofLog.includes(schema)) : log;
    checkCatalogue(
      found,
      ofLog.map((schema) => ({ schema, readModels: [] })),
      this.findings,
    );
  }

  /** Checks the checkpoints and stream revisions that the consumers keep. */
  private async checkConsumers({ client }: ReadStoreSnapshot): Promise<void> {
    const { environments, readModels, processManagers = [], store } = this.options;
    const processes = processManagers.map((name) => ({ name, categories: ['job'] as const, version: null }));
    const consumers = [...readModels, ...processes];
    await checkCheckpoints(this.checkpoints, consumers, store, this.findings);
    const reached = { earlier: this.earlier, known: this.knownStreams };
    await checkStreamRevisions(client, environments, this.history, reached, this.findings);
  }

  /** Notes the event for the comparison with the positions of the read models and with other stored state. */
  private follow(recorded: RecordedEvent, event: AuditedEvent): void {
    const { environment, category, stream, revision } = event;
    const folded = this.folded.get(environment);
    if (folded?.categories.has(category)) {
      if (recorded.position > folded.position) {
        if (!this.earlier.has(stream)) this.earlier.set(stream, BigInt(revision) - 1n);
      } else if (revision === 0) this.knownStreams += 1;
    }
    if (category !== 'job' || !this.snapshot) return;
    if (this.tasks.has(environment)) this.waiting.apply(event);
    if (event.type !== 'JobQueued') return;
    for (const answers of this.answers) if (answers.environment === environment) answers.apply(event.data);
  }

  /** Reads the facts of the read store that are needed before the history. */
  private async prepare(snapshot: ReadStoreSnapshot): Promise<void> {
    const { environments, tenant, readModels, processManagers } = this.options;
    this.checkpoints = await readCheckpoints(snapshot.client, environments);
    const categories = new Set(readModels.flatMap((model) => model.categories));
    for (const environment of environments) {
      this.answers.push(
        new AuditedAnswers(environment, await snapshot.keptAnswers(environment, tenant), this.findings),
      );
      if (processManagers) this.tasks.set(environment, await snapshot.openTasks(environment));
      const own = snapshot.serving.filter((each) => each.environment === environment);
      const positions = own.map(({ position }) => position ?? -1n);
      // The highest position counts, so a read model that stands still does not hold back the others.
      const position = positions.reduce((a, b) => (a > b ? a : b), -1n);
      this.folded.set(environment, { position, categories });
    }
  }

  /** The log of the audited environments, up to the head or the cut. */
  private async *log(phase: AuditPhase): AsyncGenerator<readonly RecordedEvent[]> {
    const { store, environments, cut, signal, onProgress } = this.options;
    const { through } = this;
    const prefixes = environments.map((environment) => `${environment}.`);
    const isWanted = ({ stream }: RecordedEvent) =>
      prefixes.length > 1 || prefixes.some((prefix) => stream.startsWith(prefix));
    let read = 0;
    for await (const { events, position } of walkLog(store, { through, signal, unprovenToo: true })) {
      const end = cut && 'time' in cut ? events.findIndex((event) => recordedAt(event) > cut.time) : -1;
      const within = end < 0 ? events : events.slice(0, end);
      this.lastRead = within.at(-1)?.position ?? this.lastRead;
      yield within.filter(isWanted);
      if (end >= 0) return;
      const progress = { phase, from: 0n, through: through ?? 0n, position };
      onProgress?.({ ...progress, events: (read += events.length) });
    }
  }

  private get through(): bigint | undefined {
    const { head, options } = this;
    const { cut } = options;
    if (head === undefined || cut === undefined || 'time' in cut) return head;
    return cut.position < head ? cut.position : head;
  }

  private report(): AuditReport {
    const { findings, history, snapshot, options } = this;
    const ofReaders = new Set(this.readers.flatMap((reader) => reader.checks));
    const results = checks.map((check): CheckResult => {
      const isCompared = check.scope === 'history' || snapshot !== undefined;
      const ofAll: readonly string[] = ['presets', 'database'];
      const isLeftOut =
        (ofAll.includes(check.name) && options.tenant !== undefined) ||
        (check.name === 'writers' && !options.knowsWriters) ||
        (check.name in rulesOfCapabilities && !ofReaders.has(check.name));
      const done = isCompared && !isLeftOut;
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
      notes: findings.notes,
    };
  }
}

/** NaN for events that the service does not write, because their metadata has no known form. */
function recordedAt({ stream, metadata }: RecordedEvent): number {
  return parseStreamName(stream) ? Date.parse(metadata.recordedAt) : Number.NaN;
}

/** Undefined for an event that could not be read the first time: it was reported then. */
function readAgain(place: EventOrigin): AuditedEvent | undefined {
  try {
    return auditedEvent(place);
  } catch {
    return undefined;
  }
}

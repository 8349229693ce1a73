import { categoryPrefix } from '#domain/streams.js';
import type { RecordedEvent, SubscriptionBatch } from '#event-store/event-store.js';
import { inOneRoundTrip, inTransaction, type QueryToSend } from '#read-store/commit-queue.js';
import { BatchFeed } from '#read-store/batch-feed.js';
import { asError, isRefusedContent } from '#read-store/consumer-errors.js';
import { deliver } from '#read-store/projected-event.js';
import { describe, ModelFold } from '#read-store/model-fold.js';
import { loadParkedStreams, park, type ParkedEvent } from '#read-store/parked-events.js';
import { advance, earliest, type Checkpoint } from '#read-store/projection-checkpoints.js';
import type { StreamContinuity } from '#read-store/stream-continuity.js';
import type { Build } from './build.js';
import type { Preparation, PreparedBuild } from './prepare-builds.js';
import type { RebuildSession } from './rebuild-session.js';

const usualBatch = 4_000;
/**
 * A transaction takes at least this many rows, some 35 MB. Most jobs then begin and end within one transaction,
 * and each row is written once.
 */
const rowsAWrite = 30_000;
/** Fewer streams than the continuity remembers, so that it forgets no stream that is not written yet. */
const streamsAWrite = 25_000;
/** After this many small batches without trouble, batches grow again. */
const calmBatches = 20;

/**
 * Folds the history into generations that no reader sees yet. It reads the log once for all of them, ahead of
 * the fold. It writes the folded rows and the checkpoints in the background, in one transaction.
 *
 * When PostgreSQL refuses content, it folds again from the last checkpoint in ever smaller batches, until one
 * is a single event. It parks that event, as the projector would have done.
 */
export class HistoryFold {
  events = 0;
  private batchSize = usualBatch;
  private calm = 0;
  private parked: ParkedEvent[] = [];
  private reached = new Map<string, bigint>();
  private flight: Promise<void> = Promise.resolve();
  /** The only event of the last batch; undefined if that batch had several. */
  private single: RecordedEvent | undefined;

  private readonly builds: readonly PreparedBuild[];
  private readonly continuity: StreamContinuity;
  /**
   * Whether the rows' transactions also store the revisions that streams have reached, so that a run can
   * continue after a crash.
   */
  private readonly keepRevisions: boolean;
  /** The current phase: where it began, where it ends, and how many events were folded before it. */
  private from: bigint | undefined;
  private through = 0n;
  private eventsBefore = 0;

  constructor(
    private readonly session: RebuildSession,
    { builds, continuity, consumer }: Preparation,
  ) {
    this.builds = builds;
    this.continuity = continuity;
    this.keepRevisions = consumer !== undefined;
  }

  /** Reports the start of a phase whose progress is counted in read models. */
  tell(phase: string, done: number): void {
    const { onProgress, environment } = this.session.options;
    this.eventsBefore = this.events;
    this.from = undefined;
    const through = BigInt(this.builds.length);
    onProgress?.({ phase: `${environment}: ${phase}`, position: BigInt(done), from: 0n, through });
  }

  /**
   * Folds and commits up to these positions, inclusive. A generation without a position here stays where it is.
   * @throws SkippedEvent, FencedOff (as SQLSTATE AT001), the reason of the signal
   */
  async catchUp(until: ReadonlyMap<string, bigint>): Promise<void> {
    this.from ??= earliest(this.builds.map(({ active }) => active.checkpoint.position)) ?? 0n;
    this.through = [...until.values()].reduce(larger, this.from);
    for (;;) {
      try {
        await this.read(until);
        await this.write();
        return await this.flight;
      } catch (error) {
        if (!isRefusedContent(error)) throw error;
        await this.flight.catch(() => undefined);
        await this.startAgain();
      }
    }
  }

  private async read(until: ReadonlyMap<string, bigint>): Promise<void> {
    const { signal } = this.session.options;
    const behind = this.builds.filter((build) => isBehind(build, until));
    if (behind.length === 0) return;
    const goal = behind.map((build) => goalOf(build, until)).reduce(larger);
    const ended = new AbortController();
    const feed = new BatchFeed(this.subscribe(behind, AbortSignal.any([signal, ended.signal])), signal);
    try {
      for (let batch = await feed.next(); batch; batch = await feed.next()) {
        await this.fold(batch, behind, until);
        await this.writeWhenDue();
        if (!batch.caughtUp && batch.position < goal) continue;
        // At the end of the log, all events before the goal were delivered, even if the last event lies before
        // the goal.
        for (const build of behind) moveTo(build, goalOf(build, until));
        return;
      }
    } finally {
      ended.abort();
    }
    signal.throwIfAborted();
  }

  private subscribe(behind: readonly Build[], signal: AbortSignal): AsyncIterable<SubscriptionBatch> {
    const { eventStore, environment } = this.session.options;
    const categories = new Set(behind.flatMap(({ active }) => active.model.categories));
    const after = earliest(behind.map(({ active }) => active.checkpoint.position));
    return eventStore.subscribe({
      ...(after !== null && { after }),
      filter: { streamPrefixes: [...categories].map((category) => categoryPrefix(environment, category)) },
      batchSize: this.batchSize,
      // Unproven events are parked.
      unprovenToo: true,
      signal,
    });
  }

  private async fold(
    { events, position }: SubscriptionBatch,
    behind: readonly Build[],
    until: ReadonlyMap<string, bigint>,
  ): Promise<void> {
    const { continuity } = this;
    const { loader, options } = this.session;
    const reached = await continuity.check(events, continuity.known(loader));
    const deliveries = events.map(deliver).filter((delivery) => delivery !== undefined);
    const folds = behind.map((build) => {
      const goal = goalOf(build, until);
      const limit = position < goal ? position : goal;
      return { build, limit, fold: new ModelFold(build.active, deliveries, limit) };
    });
    if (folds.some(({ build: { rows }, fold }) => rows.mustBeWrittenBefore(fold))) {
      await this.write();
      await this.flight;
    }
    for (const { build, limit, fold } of folds) {
      const { active, rows } = build;
      await rows.load(loader, fold);
      fold.foldOnto(rows);
      rows.apply(fold);
      this.parked.push(...fold.parked);
      for (const stream of fold.parkedNow) active.parkedStreams.add(stream);
      if (build.touched) for (const [id, key] of fold.touchedKeys) build.touched.set(id, key);
      moveTo(build, larger(limit, active.checkpoint.position ?? limit));
    }
    continuity.advance(reached);
    for (const [stream, revision] of reached) this.reached.set(stream, revision);
    this.single = events.length === 1 ? events[0] : undefined;
    this.events += events.length;
    options.onProgress?.({
      phase: `${options.environment}: folding`,
      position,
      from: this.from ?? 0n,
      through: this.through,
      events: this.events - this.eventsBefore,
    });
  }

  private async writeWhenDue(): Promise<void> {
    const careful = this.batchSize < usualBatch;
    const waiting = this.builds.reduce((sum, { rows }) => sum + rows.waitingRows, 0);
    if (!careful && waiting < rowsAWrite && this.reached.size < streamsAWrite) return;
    await this.write();
    if (!careful) return;
    // A failure has to be known before another event is folded.
    await this.flight;
    this.calm += 1;
    if (this.calm < calmBatches) return;
    this.calm = 0;
    this.batchSize = Math.min(this.batchSize * 8, usualBatch);
  }

  /** Begins to write the folded rows, once the previous write has ended. */
  private async write(): Promise<void> {
    await this.flight;
    const { builds } = this;
    for (const { rows } of builds) rows.take();
    const checkpoints = builds.map(({ active }) => active.checkpoint);
    const { parked, reached } = this;
    this.parked = [];
    this.reached = new Map();
    this.flight = this.commit(checkpoints, parked, reached).then(() => {
      for (const { rows } of builds) rows.written();
    });
    // The next write waits for this one. Until then its failure must not end the process.
    this.flight.catch(() => undefined);
  }

  private async commit(
    checkpoints: readonly Checkpoint[],
    parked: readonly ParkedEvent[],
    reached: ReadonlyMap<string, bigint>,
  ): Promise<void> {
    const { continuity, keepRevisions, builds } = this;
    const { writer, environment } = this.session;
    const anchored = await this.anchored(checkpoints);
    const writes: QueryToSend[] = builds.flatMap(({ rows }) => rows.writes());
    if (keepRevisions && reached.size > 0) writes.push(continuity.store(reached));
    if (parked.length > 0) writes.push(park(environment, parked));
    await inTransaction(writer, [
      advance(
        environment,
        anchored,
        builds.map(({ active }) => active.model),
      ),
      ...writes,
    ]);
  }

  /**
   * Adds to each checkpoint the event that it was made from: the last one up to its position. Most checkpoints
   * share one position.
   */
  private async anchored(checkpoints: readonly Checkpoint[]): Promise<Checkpoint[]> {
    const { eventStore } = this.session.options;
    const positions = new Set(checkpoints.map(({ position }) => position ?? 0n));
    const anchors = new Map<bigint, RecordedEvent | undefined>();
    for (const position of positions) anchors.set(position, await eventStore.lastEvent(position));
    return checkpoints.map((checkpoint) => ({
      ...checkpoint,
      anchor: anchors.get(checkpoint.position ?? 0n),
    }));
  }

  private async startAgain(): Promise<void> {
    // In this case each batch was written before the next one was folded, so this event was the refused one.
    if (this.batchSize === 1 && this.single && (await this.parkRefused(this.single))) return;
    this.batchSize = Math.max(1, this.batchSize >> 3);
    this.calm = 0;
    await this.forget();
  }

  /** Resets everything in memory to the committed state. */
  private async forget(): Promise<void> {
    const { loader, environment } = this.session;
    this.parked = [];
    this.reached = new Map();
    this.single = undefined;
    this.flight = Promise.resolve();
    const parked = await loadParkedStreams(loader, environment);
    for (const { active, rows } of this.builds) {
      const { name, generation } = active.checkpoint;
      rows.forget();
      active.parkedStreams.clear();
      for (const stream of parked.get(`${name}/${generation}`) ?? []) active.parkedStreams.add(stream);
      const { rows: known } = await loader.query<{ position: bigint | null }>(
        'select position from read_store.projections where environment = $1 and name = $2 and generation = $3',
        [environment, name, generation],
      );
      active.checkpoint = { ...active.checkpoint, position: known[0]?.position ?? null };
    }
  }

  /**
   * Parks the one event that was folded last, for each read model whose rows are refused. Returns false if none
   * is refused.
   */
  private async parkRefused(poison: RecordedEvent): Promise<boolean> {
    const { builds } = this;
    const { writer } = this.session;
    const refused: { build: Build; error: Error }[] = [];
    for (const build of builds) {
      try {
        await inOneRoundTrip(writer, [{ text: 'begin' }, ...build.rows.writes(), { text: 'rollback' }]);
      } catch (error) {
        if (!isRefusedContent(error)) throw error;
        refused.push({ build, error: asError(error) });
      }
    }
    if (refused.length === 0) return false;
    const checkpoints = builds.map(({ active }) => active.checkpoint);
    for (const { build } of refused) build.rows.forget();
    const parked = refused.map(({ build: { active }, error }): ParkedEvent => {
      const { name, generation } = active.checkpoint;
      return { name, generation, recorded: poison, error: describe(error) };
    });
    await this.commit(checkpoints, parked, new Map([[poison.stream, poison.revision]]));
    await this.forget();
    return true;
  }
}

/** The position up to which a generation is folded; −1, which is no position, if it must not move. */
function goalOf({ active }: Build, until: ReadonlyMap<string, bigint>): bigint {
  return until.get(active.checkpoint.name) ?? -1n;
}

function isBehind(build: Build, until: ReadonlyMap<string, bigint>): boolean {
  return (build.active.checkpoint.position ?? -1n) < goalOf(build, until);
}

function moveTo({ active }: Build, position: bigint): void {
  // The event at that position is looked up once for each write.
  active.checkpoint = { ...active.checkpoint, position, anchor: undefined };
}

function larger(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

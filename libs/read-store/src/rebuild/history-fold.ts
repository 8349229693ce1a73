import type pg from 'pg';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent, SubscriptionBatch } from '#event-store/event-store.js';
import { transact } from '../exclusive-session.js';
import { BatchFeed } from '../batch-feed.js';
import { asError, isRefusedContent } from '../consumer-errors.js';
import { deliver } from '../projected-event.js';
import { describe, ModelFold } from '../model-fold.js';
import { loadParkedStreams, park, type ParkedEvent } from '../parked-events.js';
import { advance, earliest, type Checkpoint } from '../projection-checkpoints.js';
import type { StreamContinuity } from '../stream-continuity.js';
import { arrive, goalOf, isBehind, larger, largest, smaller, type Build } from './build.js';

export interface HistoryFoldOptions {
  /** Neither pipelined nor used for anything else meanwhile. */
  readonly writer: pg.Client;
  readonly loader: pg.Client;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  readonly builds: readonly Build[];
  readonly continuity: StreamContinuity;
  /** Whether the revisions that streams have reached are kept with the rows, to go on from after a crash. */
  readonly keepRevisions: boolean;
  readonly signal: AbortSignal;
  /** How far the fold is, and how many events it has folded. */
  readonly onBatch?: (position: bigint, events: number) => void;
}

const usualBatch = 4_000;
/** A transaction takes at least so many rows: most jobs then begin and end within one, and each row is written once. */
const rowsAWrite = 12_000;
/** Fewer than the continuity remembers, so that no stream is forgotten before it is written down. */
const streamsAWrite = 25_000;
/** After so many small batches without trouble they grow again. */
const calmBatches = 20;

/**
 * Folds the history into generations that no reader sees yet. It reads the log once for all of them, ahead of the fold,
 * and writes in the background what it has folded, rows and checkpoints in one transaction.
 *
 * When PostgreSQL refuses content, it folds again from the last checkpoint in ever smaller batches, until one is a single
 * event. It parks that event, as the projector would have done.
 */
export class HistoryFold {
  events = 0;
  private batchSize = usualBatch;
  private calm = 0;
  private parked: ParkedEvent[] = [];
  private reached = new Map<string, bigint>();
  private flight: Promise<void> = Promise.resolve();
  /** The batch that was folded last, when it is one event. */
  private single: RecordedEvent | undefined;

  constructor(private readonly options: HistoryFoldOptions) {}

  /**
   * Folds and commits up to these positions, inclusive; a generation that is not named stays where it is.
   * @throws SkippedEvent, FencedOff (as SQLSTATE AT001), the reason of the signal
   */
  async catchUp(until: ReadonlyMap<string, bigint>): Promise<void> {
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
    const { signal } = this.options;
    const behind = this.options.builds.filter((build) => isBehind(build, until));
    if (behind.length === 0) return;
    const goal = largest(behind.map((build) => goalOf(build, until)));
    const ended = new AbortController();
    const feed = new BatchFeed(this.subscribe(behind, AbortSignal.any([signal, ended.signal])), signal);
    try {
      for (let batch = await feed.next(); batch; batch = await feed.next()) {
        await this.fold(batch, behind, until);
        await this.writeWhenDue();
        if (!batch.caughtUp && batch.position < goal) continue;
        arrive(behind, until);
        return;
      }
    } finally {
      ended.abort();
    }
    signal.throwIfAborted();
  }

  private subscribe(behind: readonly Build[], signal: AbortSignal): AsyncIterable<SubscriptionBatch> {
    const { eventStore, environment } = this.options;
    const categories = new Set(behind.flatMap(({ active }) => active.model.categories));
    const after = earliest(behind.map(({ active }) => active.checkpoint.position));
    return eventStore.subscribe({
      ...(after !== null && { after }),
      filter: { streamPrefixes: [...categories].map((category) => categoryPrefix(environment, category)) },
      batchSize: this.batchSize,
      signal,
    });
  }

  private async fold(
    { events, position }: SubscriptionBatch,
    behind: readonly Build[],
    until: ReadonlyMap<string, bigint>,
  ): Promise<void> {
    const { continuity, loader } = this.options;
    const reached = await continuity.check(loader, events);
    const deliveries = events.map(deliver).filter((delivery) => delivery !== undefined);
    for (const build of behind) {
      const { active, rows } = build;
      const limit = smaller(position, goalOf(build, until));
      const fold = new ModelFold(active, deliveries, limit);
      await rows.load(loader, fold);
      fold.foldOnto(rows);
      rows.apply(fold);
      this.parked.push(...fold.parked);
      for (const stream of fold.parkedNow) active.parkedStreams.add(stream);
      if (build.touched) for (const [id, key] of fold.touchedKeys) build.touched.set(id, key);
      active.checkpoint = { ...active.checkpoint, position: larger(active.checkpoint.position, limit) };
    }
    continuity.advance(reached);
    for (const [stream, revision] of reached) this.reached.set(stream, revision);
    this.single = events.length === 1 ? events[0] : undefined;
    this.events += events.length;
    this.options.onBatch?.(position, this.events);
  }

  private async writeWhenDue(): Promise<void> {
    const careful = this.batchSize < usualBatch;
    const waiting = this.options.builds.reduce((sum, { rows }) => sum + rows.waitingRows, 0);
    if (!careful && waiting < rowsAWrite && this.reached.size < streamsAWrite) return;
    await this.write();
    if (!careful) return;
    // Its failure has to be known before another event is folded.
    await this.flight;
    this.calm += 1;
    if (this.calm < calmBatches) return;
    this.calm = 0;
    this.batchSize = Math.min(this.batchSize * 8, usualBatch);
  }

  /** Begins to write what was folded, when what was folded before is written. */
  private async write(): Promise<void> {
    await this.flight;
    const { builds } = this.options;
    for (const { rows } of builds) rows.take();
    const checkpoints = builds.map(({ active }) => active.checkpoint);
    const { parked, reached } = this;
    this.parked = [];
    this.reached = new Map();
    this.flight = this.commit(checkpoints, parked, reached).then(() => {
      for (const { rows } of builds) rows.written();
    });
    // It is waited for before the next one; until then its failure must not end the process.
    this.flight.catch(() => undefined);
  }

  private async commit(
    checkpoints: readonly Checkpoint[],
    parked: readonly ParkedEvent[],
    reached: ReadonlyMap<string, bigint>,
  ): Promise<void> {
    const { writer, environment, continuity, keepRevisions, builds } = this.options;
    await transact(writer, async () => {
      await writer.query(advance(environment, checkpoints));
      for (const { rows } of builds) await rows.write(writer);
      if (keepRevisions && reached.size > 0) await writer.query(continuity.store(reached));
      if (parked.length > 0) await writer.query(park(environment, parked));
    });
  }

  private async startAgain(): Promise<void> {
    // Each batch is written before the next one is folded then, so this is the event that was refused.
    if (this.batchSize === 1 && this.single && (await this.parkRefused(this.single))) return;
    this.batchSize = Math.max(1, this.batchSize >> 3);
    this.calm = 0;
    await this.forget();
  }

  /** Everything in memory, back to what is committed. */
  private async forget(): Promise<void> {
    const { loader, environment, builds } = this.options;
    this.parked = [];
    this.reached = new Map();
    this.single = undefined;
    this.flight = Promise.resolve();
    const parked = await loadParkedStreams(loader, environment);
    for (const build of builds) {
      const { active, rows } = build;
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

  /** Parks the one event that was folded last, for each read model whose rows are refused. False: none of them is. */
  private async parkRefused(poison: RecordedEvent): Promise<boolean> {
    const { writer, builds } = this.options;
    const refused: { build: Build; error: Error }[] = [];
    for (const build of builds) {
      await writer.query('begin');
      try {
        await build.rows.write(writer);
      } catch (error) {
        if (!isRefusedContent(error)) throw error;
        refused.push({ build, error: asError(error) });
      } finally {
        await writer.query('rollback');
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

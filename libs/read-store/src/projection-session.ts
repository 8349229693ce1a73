import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import { advance, announce } from './projection-checkpoints.js';
import { deliver } from './projected-event.js';
import { asError, isRefusedContent } from './consumer-errors.js';
import type { Anchor } from './log-fit.js';
import { describe, ModelFold, type ActiveModel } from './model-fold.js';
import { logParked, park } from './parked-events.js';
import { inOneRoundTrip, inTransaction, type CommitQueue } from './commit-queue.js';
import type { ModelRow } from './projection-table.js';
import type { ReachedRevisions, StreamContinuity } from './stream-continuity.js';

/** A batch that is folded, and whose commit is under way or about to begin. */
interface Folded {
  readonly events: readonly RecordedEvent[];
  readonly position: bigint;
  readonly anchor: Anchor;
  readonly reached: ReachedRevisions;
  readonly folds: readonly ModelFold[];
}

export interface ProjectionSessionOptions {
  readonly commits: CommitQueue;
  /** Loads rows while the batch before is being committed. */
  readonly loader: pg.Client;
  readonly environment: Environment;
  readonly actives: readonly ActiveModel[];
  readonly continuity: StreamContinuity;
  readonly log: Logger;
}

/**
 * A session in which one runner owns the projections of an environment. It folds batches. It commits each batch
 * with its rows, checkpoints and stream revisions in one transaction.
 *
 * While a batch is being committed (`flight`), the next one is folded on top of its rows. It is sent when the
 * commit is confirmed. So batches are committed in order or not at all.
 */
export class ProjectionSession {
  /** Resolves at the end of the latest work. */
  private turn: Promise<unknown> = Promise.resolve();
  private flight: { readonly batch: Folded; readonly committed: Promise<void> } | undefined;

  constructor(readonly options: ProjectionSessionOptions) {}

  /**
   * Folds a batch into all read models and sends it. Resolves when the batch before is committed; `settle`
   * resolves when this one is.
   * @param anchor the last event up to the position
   * @throws SkippedEvent, FencedOff (as SQLSTATE AT001), and the errors of the connections
   */
  submit(events: readonly RecordedEvent[], position: bigint, anchor: Anchor): Promise<void> {
    return this.inTurn(() => this.send(events, position, anchor));
  }

  /** Waits until the batch in flight is committed. */
  settle(): Promise<void> {
    return this.between(() => Promise.resolve());
  }

  /**
   * Does work between two batches, when none is in flight. Rows and checkpoints do not change until the work is
   * done.
   */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await this.land();
      return work();
    });
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.turn.then(work);
    this.turn = turn.catch(() => undefined);
    return turn;
  }

  private async send(events: readonly RecordedEvent[], position: bigint, anchor: Anchor): Promise<void> {
    const { continuity, loader } = this.options;
    const reached = await continuity.check(events, continuity.known(loader));
    const folds = await this.fold(events);
    const batch = { events, position, anchor, reached, folds };
    const writes = folds.flatMap(writesOf);
    // If the batch before was not committed unchanged, this batch was folded on top of rows that do not exist.
    if (!(await this.land())) return this.send(events, position, anchor);
    const committed = this.commit(batch, writes);
    // `land` handles its failure, but can only be called after it.
    committed.catch(() => undefined);
    continuity.advance(reached);
    this.flight = { batch, committed };
  }

  /**
   * Waits for the batch in flight. If PostgreSQL refuses its content, the batch is halved until the event to
   * park is found. It then returns false.
   */
  private async land(): Promise<boolean> {
    const { flight } = this;
    if (!flight) return true;
    this.flight = undefined;
    try {
      await flight.committed;
      return true;
    } catch (error) {
      if (!isRefusedContent(error)) throw error;
      await this.isolate(flight.batch);
      return false;
    }
  }

  private async fold(events: readonly RecordedEvent[]): Promise<ModelFold[]> {
    const deliveries = events.map(deliver).filter((delivery) => delivery !== undefined);
    const folds = this.options.actives.map((active) => new ModelFold(active, deliveries));
    const loading = folds.filter(({ changedKeys }) => changedKeys.size > 0);
    const queries = loading.map(({ active, changedKeys }) => active.table.select([...changedKeys.values()]));
    const loaded = queries.length > 0 ? (await inTransaction(this.options.loader, queries)).slice(1) : [];
    folds.forEach((fold, index) => {
      // The columns are those of the fold's table.
      const rows = (loaded[loading.indexOf(fold)]?.rows ?? []) as ModelRow[];
      fold.fold(rows, this.flight?.batch.folds[index]);
    });
    return folds;
  }

  private async commit(batch: Folded, writes: readonly pg.QueryConfig[]): Promise<void> {
    const { commits, environment, actives, continuity, log } = this.options;
    const { position, anchor, reached, folds } = batch;
    const behind = actives.filter(({ checkpoint }) => (checkpoint.position ?? -1n) < position);
    if (behind.length === 0) return;
    const checkpoints = behind.map(({ checkpoint }) => ({ ...checkpoint, position, anchor }));
    const names = checkpoints.map(({ name }) => name);
    const parked = folds.flatMap((fold) => fold.parked);
    const queries = [
      advance(
        environment,
        checkpoints,
        actives.map(({ model }) => model),
      ),
      ...writes,
      ...(reached.size > 0 ? [continuity.store(reached)] : []),
      ...(parked.length > 0 ? [park(environment, parked)] : []),
      announce(environment, position, names),
    ];
    await commits.commit({ queries });
    // One was made for each of them.
    behind.forEach((active, index) => (active.checkpoint = checkpoints[index]!));
    for (const fold of folds)
      for (const { recorded } of fold.parked) fold.active.parkedStreams.add(recorded.stream);
    logParked(log, environment, parked);
  }

  private async isolate(batch: Folded): Promise<void> {
    const { events, position, anchor, folds } = batch;
    const [poison] = events;
    if (!poison) throw new Error('PostgreSQL refused a batch without events');
    const middle = events.length >> 1;
    const end = events[middle - 1];
    if (end) {
      await this.send(events.slice(0, middle), end.position, end);
      await this.send(events.slice(middle), position, anchor);
      await this.land();
      return;
    }
    for (const fold of folds) {
      const error = await this.refusalOf(fold);
      if (error) fold.parkInstead(poison, describe(error));
    }
    await this.commit(batch, folds.flatMap(writesOf));
  }

  /** Tries the writes of one read model alone, and rolls them back. */
  private async refusalOf(fold: ModelFold): Promise<Error | undefined> {
    const writes = writesOf(fold);
    if (writes.length === 0) return undefined;
    try {
      await this.options.commits.alone((client) =>
        inOneRoundTrip(client, [{ text: 'begin' }, ...writes, { text: 'rollback' }]),
      );
      return undefined;
    } catch (error) {
      if (isRefusedContent(error)) return asError(error);
      throw error;
    }
  }
}

function writesOf({ active, upserts, deletes }: ModelFold): pg.QueryConfig[] {
  return [
    ...(deletes.length > 0 ? [active.table.delete(deletes)] : []),
    ...(upserts.length > 0 ? [active.table.upsert(upserts)] : []),
  ];
}

import type pg from 'pg';
import { parseStreamName, type Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import { announce } from './checkpoint-channel.js';
import { sqlState } from './consumer-errors.js';
import { asError, describe, ModelFold, type ActiveModel, type Delivery } from './model-fold.js';
import { park } from './parked-events.js';
import { inOneRoundTrip, inTransaction } from './pipeline.js';
import { toProjectedEvent } from './projected-event.js';
import { advance } from './projection-checkpoints.js';
import type { Row } from './projection-table.js';
import type { ReachedRevisions, StreamContinuity } from './stream-continuity.js';

/** The time in which one runner owns the projections of an environment: it folds batches and commits them. */
export class ProjectionSession {
  constructor(
    private readonly client: pg.Client,
    private readonly environment: Environment,
    private readonly actives: readonly ActiveModel[],
    private readonly continuity: StreamContinuity,
    private readonly log: Logger,
  ) {}

  /**
   * Folds a batch into all read models and commits rows, checkpoints and stream revisions together: two round trips,
   * one to load rows and one to write them. What PostgreSQL refuses because of its content is narrowed down by halves
   * until the one event is found that has to be parked.
   * @throws SkippedEvent, FencedOff (as SQLSTATE AT001), and whatever the connection throws
   */
  async project(events: readonly RecordedEvent[], position: bigint): Promise<void> {
    const reached = await this.continuity.check(this.client, events);
    const folds = await this.fold(events);
    try {
      await this.commit(folds, reached, position);
    } catch (error) {
      if (!isRefusedContent(error)) throw error;
      await this.isolate(folds, events, reached, position);
    }
  }

  private async fold(events: readonly RecordedEvent[]): Promise<ModelFold[]> {
    const deliveries = events.map(deliver).filter((delivery) => delivery !== undefined);
    const folds = this.actives.map((active) => new ModelFold(active, deliveries));
    const loading = folds.filter(({ keys }) => keys.length > 0);
    const loaded = await inOneRoundTrip(
      this.client,
      loading.map(({ active, keys }) => active.table.select(keys)),
    );
    for (const fold of folds) fold.fold((loaded[loading.indexOf(fold)]?.rows ?? []) as Row[]);
    return folds;
  }

  private async commit(
    folds: readonly ModelFold[],
    reached: ReachedRevisions,
    position: bigint,
  ): Promise<void> {
    const behind = this.actives.filter(({ checkpoint }) => (checkpoint.position ?? -1n) < position);
    if (behind.length === 0) return;
    const parked = folds.flatMap((fold) => fold.parked);
    const checkpoints = behind.map(({ checkpoint }) => checkpoint);
    const names = checkpoints.map(({ name }) => name);
    await inTransaction(this.client, [
      advance(
        this.environment,
        checkpoints,
        checkpoints.map(() => position),
      ),
      ...folds.flatMap(writesOf),
      ...(reached.size > 0 ? [this.continuity.store(reached)] : []),
      ...(parked.length > 0 ? [park(this.environment, parked)] : []),
      announce(this.environment, position, names),
    ]);
    this.continuity.committed(reached);
    for (const active of behind) active.checkpoint = { ...active.checkpoint, position };
    for (const fold of folds) this.remember(fold);
  }

  private remember({ active, parked }: ModelFold): void {
    for (const { name, recorded, error } of parked) {
      active.parkedStreams.add(recorded.stream);
      const { stream, revision, type } = recorded;
      if (error === null) continue;
      this.log.error(
        { projection: name, environment: this.environment, stream, revision: String(revision), type, error },
        `${name} cannot fold ${type} of ${stream}: the stream is parked for this read model until it is retried`,
      );
    }
  }

  private async isolate(
    folds: readonly ModelFold[],
    events: readonly RecordedEvent[],
    reached: ReachedRevisions,
    position: bigint,
  ): Promise<void> {
    const middle = events.length >> 1;
    if (middle > 0) {
      const half = events.slice(0, middle);
      await this.project(half, half.at(-1)!.position);
      await this.project(events.slice(middle), position);
      return;
    }
    const [poison] = events;
    if (!poison) throw new Error('PostgreSQL refused a batch without events');
    for (const fold of folds) {
      const error = await this.refusalOf(fold);
      if (error) fold.parkInstead(poison, describe(error));
    }
    await this.commit(folds, reached, position);
  }

  /** Tries the writes of one read model alone and takes them back. */
  private async refusalOf(fold: ModelFold): Promise<Error | undefined> {
    const writes = writesOf(fold);
    if (writes.length === 0) return undefined;
    try {
      await inOneRoundTrip(this.client, [{ text: 'begin' }, ...writes, { text: 'rollback' }]);
      return undefined;
    } catch (error) {
      if (isRefusedContent(error)) return asError(error);
      throw error;
    }
  }
}

/** Undefined for a stream that is none of ours: nothing shows it. */
function deliver(recorded: RecordedEvent): Delivery | undefined {
  const category = parseStreamName(recorded.stream)?.category;
  if (!category) return undefined;
  try {
    return { recorded, category, event: toProjectedEvent(recorded), error: undefined };
  } catch (error) {
    return { recorded, category, event: undefined, error: asError(error) };
  }
}

function writesOf({ active, upserts, deletes }: ModelFold): pg.QueryConfig[] {
  return [
    ...(deletes.length > 0 ? [active.table.delete(deletes)] : []),
    ...(upserts.length > 0 ? [active.table.upsert(upserts)] : []),
  ];
}

/** Classes 22 (data exception), 23 (constraint violation) and 54 (program limit): the content's fault, each time again. */
function isRefusedContent(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '');
}

import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import type { CommitQueue } from './commit-queue.js';
import { isRefusedContent } from './consumer-errors.js';
import { ModelFold, type ActiveModel } from './model-fold.js';
import { logParked, park } from './parked-events.js';
import { history, keysTouched, parkedFrom, restrictedTo, touches } from './parked-retry.js';
import { deliver, type EventDelivery } from './projected-event.js';
import { advance, markFolded } from './projection-checkpoints.js';
import type { ProjectionSession } from './projection-session.js';
import type { PrimaryKey } from './read-model.js';

/** A read model that another release has folded, or that got a column since it was folded. */
export interface Behind {
  readonly active: ActiveModel;
  /** Its rows are this release's fold of the events up to here; null: of none. */
  readonly foldedTo: bigint | null;
}

export interface RefoldOptions {
  readonly eventStore: EventStore;
  readonly environment: Environment;
  readonly session: ProjectionSession;
  readonly commits: CommitQueue;
  /** Reads what is parked while a transaction of the session is under way. */
  readonly loader: pg.Client;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Rows that are made again at a time. */
  readonly rowsAtOnce?: number | undefined;
}

/** In memory with all of their events. */
const usualRowsAtOnce = 2_000;

/**
 * Folds rows again that another release has folded in the meantime, and that lack what only this one knows: releases run
 * side by side while an installation is upgraded, and an older one may come back. The rows that events beyond the mark
 * concern are made anew from the log, some at a time, beside the session that goes on folding what comes. The mark is
 * moved with them, so that a projector that takes over goes on from there.
 */
export async function refold(behind: Behind, options: RefoldOptions): Promise<void> {
  const { active } = behind;
  const { environment, log, signal } = options;
  const { name, position } = active.checkpoint;
  const through = position ?? -1n;
  let { foldedTo } = behind;
  const facts = { projection: name, environment, from: String(foldedTo), through: String(through) };
  log.warn(facts, `${name} was folded by another release: its rows since then are folded again`);
  let rows = 0;
  // Once at least: a mark beyond a checkpoint that was set back comes back with it.
  for (let isLast = false; !isLast;) {
    const round = await nextRound(active, foldedTo, through, options);
    if (signal.aborted) return;
    try {
      await make(active, round, options);
    } catch (error) {
      if (!isRefusedContent(error)) throw error;
      return log.error({ ...facts, err: error }, `${name} cannot be folded again: rebuild it`);
    }
    foldedTo = round.through;
    isLast = round.isLast;
    rows += round.keys.size;
  }
  log.info({ ...facts, rows }, `${name}: ${rows} rows were folded again`);
}

/** The rows that some events concern, and what happened to them. */
interface Round {
  /** By the text of the key. */
  readonly keys: ReadonlyMap<string, PrimaryKey>;
  /** All that ever concerned these rows, up to `readTo`. */
  readonly events: readonly EventDelivery[];
  readonly readTo: bigint;
  /** The rows that events up to here concern are among `keys`, or were made again before. */
  readonly through: bigint;
  readonly isLast: boolean;
}

async function nextRound(
  active: ActiveModel,
  after: bigint | null,
  until: bigint,
  options: RefoldOptions,
): Promise<Round> {
  const { model, checkpoint } = active;
  const { eventStore, environment, signal, rowsAtOnce = usualRowsAtOnce } = options;
  const keys = new Map<string, PrimaryKey>();
  const streams = new Set<string>();
  let through = until;
  for await (const delivery of history({ eventStore, environment, model }, after ?? undefined, until)) {
    const own = keysTouched(model, [delivery]);
    for (const [id, key] of own) keys.set(id, key);
    if (own.size > 0) streams.add(delivery.recorded.stream);
    if (keys.size < rowsAtOnce && !signal.aborted) continue;
    through = delivery.recorded.position;
    break;
  }
  const readTo = checkpoint.position ?? -1n;
  const of = { eventStore, environment, model };
  if (keys.size === 0) return { keys, events: [], readTo, through, isLast: through === until };
  const all = model.keysSpanStreams ? history(of, undefined, readTo) : pagesOf(eventStore, streams, readTo);
  const events: EventDelivery[] = [];
  for await (const delivery of all) {
    if (signal.aborted) break;
    if (touches(model, delivery, keys)) events.push(delivery);
  }
  return { keys, events, readTo, through, isLast: through === until };
}

/** The events of streams, one stream after the other. */
async function* pagesOf(
  store: EventStore,
  streams: Iterable<string>,
  until: bigint,
): AsyncGenerator<EventDelivery> {
  for (const stream of streams)
    for (let from = 0n; ;) {
      const slice = await store.readStream(stream, { from });
      const page = slice.kind === 'found' ? slice.events : [];
      for (const event of page) {
        const delivery = event.position <= until ? deliver(event) : undefined;
        if (delivery) yield delivery;
      }
      if (page.length === 0) break;
      from += BigInt(page.length);
    }
}

/** Writes the rows as their events make them up to the checkpoint, which stays where it is meanwhile. */
async function make(
  active: ActiveModel,
  { keys, events, readTo, through, isLast }: Round,
  { eventStore, environment, session, commits, loader, log }: RefoldOptions,
): Promise<void> {
  const { model, table } = active;
  await session.between(async () => {
    const { checkpoint } = active;
    const position = checkpoint.position ?? -1n;
    const all = [...events];
    for await (const delivery of history({ eventStore, environment, model }, readTo, position))
      if (touches(model, delivery, keys)) all.push(delivery);
    // What is parked stays parked.
    const parked = await parkedFrom(loader, environment, checkpoint);
    const folded = all.filter(
      ({ recorded: { stream, revision } }) => revision < (parked.get(stream) ?? revision + 1n),
    );
    const fold = new ModelFold(
      {
        ...{ model: restrictedTo(model, (id) => keys.has(id)), table, parkedStreams: new Set() },
        checkpoint: { ...checkpoint, position: null },
      },
      folded,
    );
    fold.fold([], undefined);
    await commits.commit({
      queries: [
        advance(environment, [checkpoint], [model]),
        ...(keys.size > 0 ? [table.delete([...keys.values()])] : []),
        ...(fold.upserts.length > 0 ? [table.upsert(fold.upserts)] : []),
        ...(fold.parked.length > 0 ? [park(environment, fold.parked)] : []),
        // What came since the last event of the gap was folded here.
        markFolded(environment, checkpoint, model, isLast ? position : through),
      ],
    });
    for (const { recorded } of fold.parked) active.parkedStreams.add(recorded.stream);
    logParked(log, environment, fold.parked);
  });
}

import { categoryPrefix } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { isRefusedContent } from './consumer-errors.js';
import { ModelFold, type ActiveModel } from './model-fold.js';
import { logParked, park, parkedFrom } from './parked-events.js';
import { deliver, type EventDelivery } from './projected-event.js';
import { advance, markFolded } from './projection-checkpoints.js';
import type { ProjectionSession } from './projection-session.js';
import { keyText, type ModelRow } from './projection-table.js';
import type { PrimaryKey, ReadModel } from './read-model.js';

/**
 * A read model that is not completely this release's fold: another release has folded it, it got a column, or
 * it consumes more events since.
 */
export interface Behind {
  readonly active: ActiveModel;
  /** Up to here its rows are this release's fold of the events; null: no row is. */
  readonly foldedTo: bigint | null;
  /** Up to here it lacks only the rows of events that the model has grown by; null: unknown. */
  readonly fewerTo: bigint | null;
}

export interface RefoldOptions {
  readonly eventStore: EventStore;
  readonly session: ProjectionSession;
  readonly signal: AbortSignal;
  /** Rows that are made again at a time. */
  readonly rowsAtOnce?: number | undefined;
}

/** In memory with all of their events. */
const usualRowsAtOnce = 2_000;

/**
 * Folds rows again that another release has folded meanwhile, and that lack what only this release knows.
 * Releases run side by side during an upgrade, and an older one may come back. The rows that events beyond the
 * mark concern are made anew from the log, some at a time. The session goes on folding new events meanwhile.
 * The mark moves with the rows, so that a projector that takes over goes on from there.
 *
 * If the other release only passed over what the model has grown by, all existing rows are right. Then one walk
 * through the log adds the missing rows, and no row is made anew.
 */
export async function refold(behind: Behind, options: RefoldOptions): Promise<void> {
  const { active } = behind;
  const { signal, session } = options;
  const { environment, log } = session.options;
  const { name, position } = active.checkpoint;
  const through = position ?? -1n;
  let { foldedTo } = behind;
  const facts = { projection: name, environment, from: String(foldedTo), through: String(through) };
  log.warn(facts, `${name} was folded by another release: its rows since then are folded again`);
  let rows = 0;
  // Runs at least once: if the checkpoint was set back, the mark lies beyond it, and moves back too.
  for (let isLast = false; !isLast;) {
    const gap = gapAfter(behind, foldedTo, through);
    const found = await nextRound(active, foldedTo, gap, options);
    if (signal.aborted) return;
    const round = { ...found, isLast: found.through === through };
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

/** A part of the log up to `until`; not all rows of its events are this release's. */
interface Gap {
  readonly until: bigint;
  /** Up to `until` only the rows are missing that the model has grown by. */
  readonly lacksGrowth: boolean;
}

function gapAfter({ active, fewerTo }: Behind, foldedTo: bigint | null, through: bigint): Gap {
  const known = fewerTo === null || !active.model.grown ? -1n : fewerTo < through ? fewerTo : through;
  const lacksGrowth = (foldedTo ?? -1n) < known;
  return { until: lacksGrowth ? known : through, lacksGrowth };
}

/** The rows that some events concern, and what happened to them. */
interface Round extends Pick<Gap, 'lacksGrowth'> {
  /** By the text of the key. */
  readonly keys: ReadonlyMap<string, PrimaryKey>;
  /**
   * All events that ever concerned these rows, up to `readTo`. With `lacksGrowth`, only the events that make
   * the missing rows.
   */
  readonly events: readonly EventDelivery[];
  readonly readTo: bigint;
  /** `keys` has all rows that events up to here concern, except rows that were already made again. */
  readonly through: bigint;
  readonly isLast: boolean;
}

async function nextRound(
  active: ActiveModel,
  after: bigint | null,
  { until, lacksGrowth }: Gap,
  options: RefoldOptions,
): Promise<Omit<Round, 'isLast'>> {
  const { model, checkpoint } = active;
  const { eventStore, signal, rowsAtOnce = usualRowsAtOnce } = options;
  const keys = new Map<string, PrimaryKey>();
  const streams = new Set<string>();
  const events: EventDelivery[] = [];
  let through = until;
  for await (const delivery of history(options, model, after ?? undefined, until)) {
    const own = lacksGrowth && !isOfGrowth(model, delivery) ? [] : keysTouched(model, delivery);
    for (const key of own) keys.set(keyText(key), key);
    if (own.length > 0) streams.add(delivery.recorded.stream);
    if (own.length > 0 && lacksGrowth) events.push(delivery);
    if (keys.size < rowsAtOnce && !signal.aborted) continue;
    through = delivery.recorded.position;
    break;
  }
  const readTo = checkpoint.position ?? -1n;
  if (keys.size === 0 || lacksGrowth) return { keys, events, readTo, through, lacksGrowth };
  const all = model.keysSpanStreams
    ? history(options, model, undefined, readTo)
    : pagesOf(eventStore, streams, readTo);
  for await (const delivery of all) {
    if (signal.aborted) break;
    if (touches(model, delivery, keys)) events.push(delivery);
  }
  return { keys, events, readTo, through, lacksGrowth };
}

/** False for an event that cannot be decoded, or for which the model cannot name keys. */
function isOfGrowth({ grown }: ReadModel<object>, { event }: EventDelivery): boolean {
  try {
    return event !== undefined && grown !== undefined && grown.has(event);
  } catch {
    return false;
  }
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

/** Writes the rows as the events up to the checkpoint make them. The checkpoint does not move meanwhile. */
async function make(
  active: ActiveModel,
  { keys, events, readTo, through, isLast, lacksGrowth }: Round,
  options: RefoldOptions,
): Promise<void> {
  const { model, table } = active;
  const { session } = options;
  // The loader reads while a transaction of the session is under way.
  const { environment, commits, loader, log } = session.options;
  await session.between(async () => {
    const { checkpoint } = active;
    const position = checkpoint.position ?? -1n;
    const all = [...events];
    // With `lacksGrowth` the fold starts from the existing rows, which hold later events already.
    if (!lacksGrowth)
      for await (const delivery of history(options, model, readTo, position))
        if (touches(model, delivery, keys)) all.push(delivery);
    // Parked events stay parked.
    const parked = await parkedFrom(loader, environment, checkpoint);
    const folded = all.filter(
      ({ recorded: { stream, revision } }) => revision < (parked.get(stream) ?? revision + 1n),
    );
    const fold = new ModelFold(
      {
        model: restrictedTo(model, keys),
        table,
        parkedStreams: new Set(),
        checkpoint: { ...checkpoint, position: null },
      },
      folded,
    );
    const isKept = lacksGrowth && keys.size > 0;
    const loaded = isKept ? await loader.query<ModelRow>(table.select([...keys.values()])) : undefined;
    fold.fold(loaded?.rows ?? [], undefined);
    await commits.commit({
      queries: [
        advance(environment, [checkpoint], [model]),
        ...(keys.size > 0 && !lacksGrowth ? [table.delete([...keys.values()])] : []),
        ...(fold.upserts.length > 0 ? [table.upsert(fold.upserts)] : []),
        ...(fold.parked.length > 0 ? [park(environment, fold.parked)] : []),
        // This session folded the events after the gap.
        markFolded(environment, checkpoint, model, isLast ? position : through),
      ],
    });
    for (const { recorded } of fold.parked) active.parkedStreams.add(recorded.stream);
    logParked(log, environment, fold.parked);
  });
}

/** The events that the model consumes, after `after` and up to `until`. */
async function* history(
  { eventStore, session }: RefoldOptions,
  model: ReadModel<object>,
  after: bigint | undefined,
  until: bigint,
): AsyncGenerator<EventDelivery> {
  const streamPrefixes = model.categories.map((category) =>
    categoryPrefix(session.options.environment, category),
  );
  for (let last = after; ;) {
    const page = await eventStore.readAll({
      ...(last !== undefined && { after: last }),
      filter: { streamPrefixes },
      unprovenToo: true,
    });
    for (const event of page) {
      if (event.position > until) return;
      const delivery = deliver(event);
      if (delivery) yield delivery;
    }
    last = page.at(-1)?.position;
    if (last === undefined) return;
  }
}

/** The same fold, but only for the rows whose keys are in `wanted`. */
function restrictedTo(model: ReadModel<object>, wanted: ReadonlyMap<string, PrimaryKey>): ReadModel<object> {
  return { ...model, keysOf: (event) => model.keysOf(event).filter((key) => wanted.has(keyText(key))) };
}

function touches(
  model: ReadModel<object>,
  delivery: EventDelivery,
  wanted: ReadonlyMap<string, PrimaryKey>,
): boolean {
  return keysTouched(model, delivery).some((key) => wanted.has(keyText(key)));
}

/** None for an event that cannot be decoded, or for which the model cannot name keys. */
function keysTouched(model: ReadModel<object>, { event }: EventDelivery): readonly PrimaryKey[] {
  try {
    return event ? model.keysOf(event) : [];
  } catch {
    return [];
  }
}

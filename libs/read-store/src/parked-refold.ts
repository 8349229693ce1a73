import type pg from 'pg';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { deliver, type Delivery } from './delivery.js';
import { ModelFold, type ActiveModel } from './model-fold.js';
import type { Checkpoint } from './projection-checkpoints.js';
import { keyText, ProjectionTable, type Row } from './projection-table.js';
import { keysOf, type Key, type ReadModel } from './read-model.js';

export interface ParkedRetryOptions {
  /** The read store's database. */
  readonly url: string;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  /** As the code that is to fold the events has it. */
  readonly model: ReadModel<object>;
  readonly stream: string;
}

/** Nothing was changed, and the message says what to do. */
export class RetryRefused extends Error {
  override readonly name = 'RetryRefused';
}

/** What a retry folds, and what it folds it onto. */
export interface Refold {
  readonly active: ActiveModel;
  /** The events of the parked stream from the first parked one on, up to the checkpoint. */
  readonly own: readonly Delivery[];
  /** What is to be folded, in the order of the log: `own`, and whatever has to be folded again because of it. */
  readonly deliveries: readonly Delivery[];
  /** The rows as they were before the first of `deliveries`. */
  readonly before: readonly Row[];
  /** Rows that are made anew, so that what is there now goes. */
  readonly anew: readonly Key[];
}

/**
 * Gathers beforehand what can be gathered while the projector goes on, so that it is held up for moments only.
 * `complete` is called when the checkpoint is locked, and adds what has come since.
 */
export interface RefoldPreparation extends AsyncDisposable {
  complete(writer: pg.Client, checkpoint: Checkpoint, firstParked: bigint): Promise<Refold>;
}

/**
 * Of a model each of whose rows is made by one stream: the parked events are folded onto the rows as they are, for
 * nothing has touched those since the stream was parked.
 */
export async function prepareOneStream(
  { eventStore, environment, model, stream }: ParkedRetryOptions,
  firstParked: bigint,
): Promise<RefoldPreparation> {
  const read = await readStreamFrom(eventStore, stream, firstParked);
  return {
    async complete(writer, checkpoint, first) {
      const known = first === firstParked ? read : [];
      const next = known.at(-1) ? known.at(-1)!.revision + 1n : first;
      const all = [...known, ...(await readStreamFrom(eventStore, stream, next))];
      const own = all.filter(({ position }) => position <= checkpoint.position!).flatMap(delivered);
      const active = activeOf(environment, model, checkpoint);
      const { keys } = new ModelFold(active, own);
      const before = keys.length > 0 ? (await writer.query<Row>(active.table.select(keys))).rows : [];
      return { active, own, deliveries: own, before, anew: [] };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The model as it stands, for a fold that begins before its checkpoint. */
export function activeOf(environment: string, model: ReadModel<object>, checkpoint: Checkpoint): ActiveModel {
  const table = new ProjectionTable(environment, model, checkpoint.generation);
  return { model, table, checkpoint: { ...checkpoint, position: null }, parkedStreams: new Set() };
}

export function delivered(recorded: RecordedEvent): Delivery[] {
  const delivery = deliver(recorded);
  return delivery ? [delivery] : [];
}

/** By the text of the key. None for an event that cannot be decoded, or of which the model cannot say. */
export function keysTouched(model: ReadModel<object>, { category, event }: Delivery): Map<string, Key> {
  if (!event || !model.categories.includes(category)) return new Map();
  try {
    return new Map(keysOf(model, event).map((key) => [keyText(key), key]));
  } catch {
    return new Map();
  }
}

export async function readStreamFrom(
  store: EventStore,
  stream: string,
  from: bigint,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const slice = await store.readStream(stream, { from: from + BigInt(events.length) });
    if (slice.kind === 'stream-not-found' || slice.events.length === 0) return events;
    events.push(...slice.events);
  }
}

/** The events that a model consumes, after one position and up to another. */
export async function* readModelEvents(
  store: EventStore,
  environment: Environment,
  model: ReadModel<object>,
  after: bigint | undefined,
  until: bigint,
): AsyncGenerator<RecordedEvent> {
  const filter = {
    streamPrefixes: model.categories.map((category) => categoryPrefix(environment, category)),
  };
  for (let last = after; ;) {
    const page = await store.readAll({ ...(last !== undefined && { after: last }), filter });
    for (const event of page) {
      if (event.position > until) return;
      yield event;
    }
    last = page.at(-1)?.position;
    if (last === undefined) return;
  }
}

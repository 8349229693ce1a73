import type pg from 'pg';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { readServing, type GenerationId } from './rebuild/generations.js';
import { close, sessionClient } from './exclusive-session.js';
import { ModelFold, type ActiveModel } from './model-fold.js';
import { deliver, type Delivery } from './projected-event.js';
import type { Checkpoint } from './projection-checkpoints.js';
import { keyText, ProjectionTable, type ModelRow } from './projection-table.js';
import { keysOf, type PrimaryKey, type ReadModel } from './read-model.js';

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
  /** What to fold, in the order of the log: `own`, and all that has to be folded again because of it. */
  readonly deliveries: readonly Delivery[];
  /** The rows as they were before the first of `deliveries`. */
  readonly before: readonly ModelRow[];
  /** Rows that are made anew, so that what is there now goes. */
  readonly anew: readonly PrimaryKey[];
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
      const last = known.at(-1);
      const next = last ? last.revision + 1n : first;
      const all = [...known, ...(await readStreamFrom(eventStore, stream, next))];
      const own = all.filter(({ position }) => position <= (checkpoint.position ?? -1n)).flatMap(delivered);
      const active = activeOf(environment, model, checkpoint);
      const { keys } = new ModelFold(active, own);
      const before = keys.length > 0 ? (await writer.query<ModelRow>(active.table.select(keys))).rows : [];
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
export function keysTouched(
  model: ReadModel<object>,
  { category, event }: Delivery,
): Map<string, PrimaryKey> {
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

/** The first revision that is parked, by stream. */
type ParkedFrom = ReadonlyMap<string, bigint>;

/**
 * Of a model whose rows are made by several streams: while one stream was parked the others went on, and what they did
 * to the rows that they share with it was done too early, or could not be done at all. Such rows are therefore made
 * anew, from the beginning of the log and in its order.
 *
 * The log is read while the projector goes on, up to the position `past` of a snapshot of the database. Rows that the
 * parked stream comes to touch after that are right in that snapshot, and need no older history.
 */
export async function prepareAcrossStreams(options: ParkedRetryOptions): Promise<RefoldPreparation> {
  const { eventStore, environment, model, stream } = options;
  const snapshot = sessionClient({
    url: options.url,
    lock: 'atelier-cli',
    // It stays open while the log is read, for as long as that takes.
    settings: { idle_in_transaction_session_timeout: '0' },
  });
  snapshot.on('error', () => undefined);
  try {
    await snapshot.connect();
    await snapshot.query('begin isolation level repeatable read read only');
    const scope = (await readServing(snapshot, environment)).get(model.name);
    if (!scope) throw new RetryRefused(`the projector has never run ${model.name} in ${environment}`);
    const past = scope.position ?? -1n;
    const parkedThen = await parkedFrom(snapshot, environment, scope);
    const own = await readStreamFrom(eventStore, stream, parkedThen.get(stream) ?? 0n);
    const rewritten = mergeKeys(model, own.filter(({ position }) => position <= past).flatMap(delivered));
    const isOwn = ownSince(stream, parkedThen.get(stream));
    const history: Delivery[] = [];
    for await (const event of readModelEvents(eventStore, environment, model, undefined, past)) {
      const [delivery] = delivered(event);
      // One of the stream's own of which the model cannot even say what it touches stops the retry later.
      if (delivery && (isOwn(delivery) || touchesAny(model, delivery, rewritten))) history.push(delivery);
    }
    return {
      complete: (writer, checkpoint, firstParked) =>
        complete({ ...options, snapshot, scope, past, parkedThen, rewritten, history }, writer, {
          checkpoint,
          firstParked,
        }),
      [Symbol.asyncDispose]: () => close(snapshot),
    };
  } catch (error) {
    await close(snapshot);
    throw error;
  }
}

interface Prepared extends ParkedRetryOptions {
  readonly snapshot: pg.Client;
  readonly scope: GenerationId;
  readonly past: bigint;
  readonly parkedThen: ParkedFrom;
  /** The rows that the parked stream touches, as far as it was known then. */
  readonly rewritten: ReadonlyMap<string, PrimaryKey>;
  /** All that ever touched them. */
  readonly history: readonly Delivery[];
}

async function complete(
  prepared: Prepared,
  writer: pg.Client,
  { checkpoint, firstParked }: { checkpoint: Checkpoint; firstParked: bigint },
) {
  const { eventStore, environment, model, stream, snapshot, scope, past, rewritten, history } = prepared;
  if (checkpoint.generation !== scope.generation || prepared.parkedThen.get(stream) !== firstParked)
    throw new RetryRefused(`${model.name} was rebuilt or rolled back meanwhile: run the same command again`);
  const since: Delivery[] = [];
  for await (const event of readModelEvents(
    eventStore,
    environment,
    model,
    past,
    checkpoint.position ?? -1n,
  )) {
    since.push(...delivered(event));
  }
  const isOwn = ownSince(stream, firstParked);
  const touched = new Map([...rewritten, ...mergeKeys(model, since.filter(isOwn))]);
  const joined = [...touched.values()].filter((key) => !rewritten.has(keyText(key)));
  const table = new ProjectionTable(environment, model, checkpoint.generation);
  const before = joined.length > 0 ? (await snapshot.query<ModelRow>(table.select(joined))).rows : [];

  // What other streams have parked stays parked, and is folded again when they are retried.
  const parkedNow = await parkedFrom(writer, environment, scope);
  const waits = ({ recorded: { stream: other, revision } }: Delivery) =>
    other !== stream && revision >= (parkedNow.get(other) ?? revision + 1n);
  const deliveries = [...history, ...since].filter(
    (delivery) => !waits(delivery) && (isOwn(delivery) || touchesAny(model, delivery, touched)),
  );
  return {
    active: activeOf(environment, restricted(model, past, rewritten, touched), checkpoint),
    own: deliveries.filter(isOwn),
    deliveries,
    before,
    anew: [...touched.values()],
  };
}

/** The same fold for the rows that are made anew and no others. Rows taken from the snapshot hold what was `past`. */
function restricted(
  model: ReadModel<object>,
  past: bigint,
  rewritten: ReadonlyMap<string, PrimaryKey>,
  touched: ReadonlyMap<string, PrimaryKey>,
): ReadModel<object> {
  const { name, version, entity, categories, rowPerEvent } = model;
  return {
    ...{ name, version, entity, categories, ...(rowPerEvent !== undefined && { rowPerEvent }) },
    evolve: (row, event, key) => model.evolve(row, event, key),
    keysOf: (event) => {
      const wanted = event.position <= past ? rewritten : touched;
      return keysOf(model, event).filter((key) => wanted.has(keyText(key)));
    },
  };
}

function mergeKeys(model: ReadModel<object>, deliveries: readonly Delivery[]): Map<string, PrimaryKey> {
  return new Map(deliveries.flatMap((delivery) => [...keysTouched(model, delivery)]));
}

function touchesAny(
  model: ReadModel<object>,
  delivery: Delivery,
  wanted: ReadonlyMap<string, PrimaryKey>,
): boolean {
  return [...keysTouched(model, delivery).keys()].some((id) => wanted.has(id));
}

/** Whether an event is of the parked stream, and not one that was folded before that was parked. */
function ownSince(stream: string, first: bigint | undefined): (delivery: Delivery) => boolean {
  return ({ recorded }) => recorded.stream === stream && first !== undefined && recorded.revision >= first;
}

async function parkedFrom(
  client: pg.Client,
  environment: string,
  { name, generation }: GenerationId,
): Promise<ParkedFrom> {
  const { rows } = await client.query<{ stream: string; revision: bigint }>(
    `select stream, min(revision) as revision from read_store.parked_events
      where environment = $1 and name = $2 and generation = $3 group by stream`,
    [environment, name, generation],
  );
  return new Map(rows.map(({ stream, revision }) => [stream, revision]));
}

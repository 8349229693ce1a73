import type pg from 'pg';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { asError, isRefusedContent } from './consumer-errors.js';
import { close, sessionClient, tryLock } from './exclusive-session.js';
import { describe, ModelFold, type ActiveModel } from './model-fold.js';
import { settleParked } from './parked-events.js';
import { deliver, type EventDelivery } from './projected-event.js';
import { serves, type Checkpoint } from './projection-checkpoints.js';
import { keyText, ProjectionTable, type ModelRow } from './projection-table.js';
import { keysOf, type PrimaryKey, type ReadModel } from './read-model.js';
import { readServing } from './rebuild/generations.js';

export interface ParkedRetryOptions {
  /** The read store's database. */
  readonly url: string;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  /** As the code that is to fold the events has it. */
  readonly model: ReadModel<object>;
  readonly stream: string;
}

export interface ParkedRetryOutcome {
  /** Parked events that are in the rows now. */
  readonly applied: number;
  /** Events that are parked still, the one that cannot be folded included. */
  readonly parked: number;
  readonly failure: ParkedFailure | undefined;
}

export interface ParkedFailure {
  readonly recorded: RecordedEvent;
  /** With its stack. */
  readonly error: string;
}

/** Nothing was changed, and the message says what to do. */
export class RetryRefused extends Error {
  override readonly name = 'RetryRefused';
}

const nothingParked: ParkedRetryOutcome = { applied: 0, parked: 0, failure: undefined };

/**
 * Folds the parked events of a stream into a read model, in order, as far as they can be folded now.
 *
 * The events are read while the projector goes on, up to the position of a snapshot of the database. Then rows and
 * parked events change in one transaction, which owns the checkpoint: what a running projector has under way at that
 * time is refused, and it starts again from what the transaction left behind. So no event of the stream is lost or
 * folded twice, however many come in meanwhile.
 * @throws RetryRefused, and whatever the stores throw
 */
export async function retryParked(options: ParkedRetryOptions): Promise<ParkedRetryOutcome> {
  const { url, environment, model, stream } = options;
  const writer = sessionClient({ url, name: 'atelier-cli' });
  // It stays open while the log is read, for as long as that takes.
  const settings = { idle_in_transaction_session_timeout: '0' };
  const snapshot = sessionClient({ url, name: 'atelier-cli', settings });
  try {
    for (const client of [writer, snapshot]) {
      client.on('error', () => undefined);
      await client.connect();
    }
    // Two streams of one model may share rows, so they are retried one after the other.
    if (!(await tryLock(writer, `atelier.parked.${environment}.${model.name}`)))
      throw new RetryRefused(`parked events of ${model.name} are being retried already`);
    const past = await readPast(snapshot, options);
    if (!past) return nothingParked;
    await writer.query('begin');
    const checkpoint = await own(writer, options);
    if (checkpoint.generation !== past.generation)
      throw new RetryRefused(
        `${model.name} was rebuilt or rolled back meanwhile: run the same command again`,
      );
    const refold = await complete(options, past, checkpoint, { snapshot, writer });
    const failure = await foldAsFarAsPossible(writer, refold, stream);
    const outcome = await settleParked(writer, environment, checkpoint, stream, failure);
    await writer.query('commit');
    return { ...outcome, failure };
  } finally {
    // Ends the transactions too.
    await Promise.all([close(writer), close(snapshot)]);
  }
}

/** What was read up to the snapshot. */
interface Past {
  readonly generation: number;
  readonly position: bigint;
  /** The first revision of the stream that is parked. */
  readonly first: bigint;
  /** The stream's parked events, and beside them all that ever touched `anew`. */
  readonly events: readonly EventDelivery[];
  /** By the text of their keys: the rows that are made from the beginning of the log. */
  readonly anew: ReadonlyMap<string, PrimaryKey>;
}

/**
 * Where each row is made by one stream, nothing has touched the rows since the stream was parked: its events are folded
 * onto them. Where several streams make a row, the others went on, and what they did to the rows that they share with
 * this one was done too early or not at all. Such rows are made anew, from the beginning of the log and in its order.
 * @returns undefined: the stream is not parked
 */
async function readPast(snapshot: pg.Client, options: ParkedRetryOptions): Promise<Past | undefined> {
  const { eventStore, environment, model, stream } = options;
  await snapshot.query('begin isolation level repeatable read read only');
  const serving = (await readServing(snapshot, environment)).get(model.name);
  if (!serving) return undefined;
  const first = (await parkedFrom(snapshot, environment, serving)).get(stream);
  if (first === undefined) return undefined;
  const { generation, position: reached } = serving;
  const position = reached ?? -1n;
  const parked: EventDelivery[] = [];
  for (let from = first; ;) {
    const slice = await eventStore.readStream(stream, { from, unprovenToo: true });
    if (slice.kind === 'stream-not-found' || slice.events.length === 0) break;
    const seen = slice.events.filter((event) => event.position <= position);
    parked.push(...seen.flatMap((event) => deliver(event) ?? []));
    if (seen.length < slice.events.length) break;
    from += BigInt(seen.length);
  }
  if (!model.keysSpanStreams) return { generation, position, first, events: parked, anew: new Map() };
  const anew = keysTouched(model, parked);
  const events: EventDelivery[] = [];
  for await (const delivery of history(options, undefined, position))
    // One of its own of which the model cannot even say what it touches stops the retry later.
    if (isOwn(delivery, stream, first) || touches(model, delivery, anew)) events.push(delivery);
  return { generation, position, first, events, anew };
}

/** Waits for the batch that is being committed, and fences off the projector that folds now. */
async function own(client: pg.Client, { environment, model }: ParkedRetryOptions): Promise<Checkpoint> {
  const { rows } = await client.query<Checkpoint>(
    `update read_store.projections set epoch = epoch + 1
      where environment = $1 and name = $2 and ${serves}
      returning name, generation, version, position, epoch`,
    [environment, model.name],
  );
  const [checkpoint] = rows;
  if (!checkpoint) throw new RetryRefused(`the projector has never run ${model.name} in ${environment}`);
  if (checkpoint.version !== model.version)
    throw new RetryRefused(
      `the rows of ${model.name} are of version ${checkpoint.version}, the code folds ${model.version}: rebuild it, which folds the parked events too`,
    );
  return checkpoint;
}

/** What a retry folds, and what it folds it onto. */
interface Refold {
  readonly active: ActiveModel;
  /** The stream's events from the first parked one on, up to the checkpoint. */
  readonly own: readonly EventDelivery[];
  /** In the order of the log: `own`, and all that has to be folded again because of it. */
  readonly deliveries: readonly EventDelivery[];
  /** The rows as they were before the first of `deliveries`. */
  readonly before: readonly ModelRow[];
  /** All rows that change: what is there now goes. */
  readonly touched: readonly PrimaryKey[];
}

/** Adds what has come since the snapshot. Rows that the stream came to touch since then are right in the snapshot. */
async function complete(
  options: ParkedRetryOptions,
  { position, first, events, anew }: Past,
  checkpoint: Checkpoint,
  { snapshot, writer }: { readonly snapshot: pg.Client; readonly writer: pg.Client },
): Promise<Refold> {
  const { environment, model, stream } = options;
  const all = [...events];
  for await (const delivery of history(options, position, checkpoint.position ?? -1n)) all.push(delivery);
  const isOfStream = (delivery: EventDelivery) => isOwn(delivery, stream, first);
  const touched = new Map([...anew, ...keysTouched(model, all.filter(isOfStream))]);
  const joined = [...touched].filter(([id]) => !anew.has(id)).map(([, key]) => key);
  const table = new ProjectionTable(environment, model, checkpoint.generation);
  const before = joined.length > 0 ? (await snapshot.query<ModelRow>(table.select(joined))).rows : [];

  // What other streams have parked stays parked, and is folded again when they are retried.
  const parkedNow = await parkedFrom(writer, environment, checkpoint);
  const waits = ({ recorded: { stream: other, revision } }: EventDelivery) =>
    other !== stream && revision >= (parkedNow.get(other) ?? revision + 1n);
  const deliveries = all.filter(
    (delivery) => !waits(delivery) && (isOfStream(delivery) || touches(model, delivery, touched)),
  );
  // Rows from the snapshot hold what several streams did up to its position: that is folded into those made anew only.
  const isDone = (at: bigint) => model.keysSpanStreams === true && at <= position;
  const restricted = restrictedTo(model, (id, at) => (isDone(at) ? anew : touched).has(id));
  return {
    // The fold begins before the checkpoint.
    active: {
      ...{ model: restricted, table, parkedStreams: new Set() },
      checkpoint: { ...checkpoint, position: null },
    },
    own: deliveries.filter(isOfStream),
    ...{ deliveries, before, touched: [...touched.values()] },
  };
}

/** The same fold for some rows and no others, told by the text of their keys and the event's position. */
export function restrictedTo(
  model: ReadModel<object>,
  isWanted: (id: string, position: bigint) => boolean,
): ReadModel<object> {
  const { name, version, entity, categories, rowPerEvent = false } = model;
  return {
    ...{ name, version, entity, categories, rowPerEvent },
    evolve: (row, event, key) => model.evolve(row, event, key),
    keysOf: (event) => keysOf(model, event).filter((key) => isWanted(keyText(key), event.position)),
  };
}

/** Gives the first event of the stream that cannot be folded; undefined: all of them are folded. */
async function foldAsFarAsPossible(
  client: pg.Client,
  refold: Refold,
  stream: string,
): Promise<ParkedFailure | undefined> {
  let fits = refold.own.length;
  let refusal = await attempt(client, refold, fits, 'keep');
  if (refusal) {
    // PostgreSQL refuses one of the rows. The event that is to blame is between those that fit and those that do not.
    let tooMany = fits;
    for (fits = 0; tooMany - fits > 1;) {
      const middle = (fits + tooMany) >> 1;
      const refused = await attempt(client, refold, middle, 'try');
      if (refused) [tooMany, refusal] = [middle, refused];
      else fits = middle;
    }
    const late = await attempt(client, refold, fits, 'keep');
    if (late) throw late;
  }
  const { parked } = foldOf(refold, fits);
  const foreign = parked.find(({ recorded }) => recorded.stream !== stream);
  if (foreign)
    throw new RetryRefused(
      `${foreign.recorded.stream} cannot be folded again together with ${stream} (${foreign.error}): rebuild ${foreign.name}`,
    );
  const [poison] = parked;
  if (poison) return { recorded: poison.recorded, error: poison.error ?? '' };
  const refused = refold.own[fits];
  return refused && refusal && { recorded: refused.recorded, error: describe(refusal) };
}

/** The fold of all there is, but for the stream's events from `count` on. */
function foldOf({ active, own: ofStream, deliveries, before }: Refold, count: number): ModelFold {
  const left = new Set(ofStream.slice(count));
  const fold = new ModelFold(
    active,
    deliveries.filter((delivery) => !left.has(delivery)),
  );
  fold.fold(before, undefined);
  return fold;
}

/** Writes what the first `count` events of the stream give. The error with which PostgreSQL refuses it, and then nothing is written. */
async function attempt(
  client: pg.Client,
  refold: Refold,
  count: number,
  what: 'keep' | 'try',
): Promise<Error | undefined> {
  const { active, touched } = refold;
  const { upserts } = foldOf(refold, count);
  await client.query('savepoint attempt');
  try {
    if (touched.length > 0) await client.query(active.table.delete(touched));
    if (upserts.length > 0) await client.query(active.table.upsert(upserts));
    if (what === 'keep') return undefined;
  } catch (error) {
    if (!isRefusedContent(error)) throw error;
    await client.query('rollback to savepoint attempt');
    return asError(error);
  }
  await client.query('rollback to savepoint attempt');
  return undefined;
}

/** The events that the model consumes, after one position and up to another. */
export async function* history(
  { eventStore, environment, model }: Pick<ParkedRetryOptions, 'eventStore' | 'environment' | 'model'>,
  after: bigint | undefined,
  until: bigint,
): AsyncGenerator<EventDelivery> {
  const streamPrefixes = model.categories.map((category) => categoryPrefix(environment, category));
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

/** Whether an event is of the parked stream, and not one that was folded before that was parked. */
function isOwn({ recorded }: EventDelivery, stream: string, first: bigint): boolean {
  return recorded.stream === stream && recorded.revision >= first;
}

export function touches(
  model: ReadModel<object>,
  delivery: EventDelivery,
  wanted: ReadonlyMap<string, PrimaryKey>,
): boolean {
  return [...keysTouched(model, [delivery]).keys()].some((id) => wanted.has(id));
}

/** By the text of the key. None for an event that cannot be decoded, or of which the model cannot say. */
export function keysTouched(
  model: ReadModel<object>,
  deliveries: readonly EventDelivery[],
): Map<string, PrimaryKey> {
  const keys = deliveries.flatMap(({ event }) => {
    try {
      return event ? keysOf(model, event) : [];
    } catch {
      return [];
    }
  });
  return new Map(keys.map((key) => [keyText(key), key]));
}

/** The first revision that is parked, by stream. */
export async function parkedFrom(
  client: pg.Client,
  environment: string,
  { name, generation }: Pick<Checkpoint, 'name' | 'generation'>,
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await client.query<{ stream: string; revision: bigint }>(
    `select stream, min(revision) as revision from read_store.parked_events
      where environment = $1 and name = $2 and generation = $3 group by stream`,
    [environment, name, generation],
  );
  return new Map(rows.map(({ stream, revision }) => [stream, revision]));
}

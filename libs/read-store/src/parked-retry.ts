import type pg from 'pg';
import type { RecordedEvent } from '#event-store/event-store.js';
import { asError, isRefusedContent } from './consumer-errors.js';
import { close, sessionClient, tryLock } from './exclusive-session.js';
import { describe, ModelFold } from './model-fold.js';
import { settleParked } from './parked-events.js';
import {
  prepareAcrossStreams,
  prepareOneStream,
  RetryRefused,
  type ParkedRetryOptions,
  type Refold,
} from './parked-refold.js';
import { serves, type Checkpoint } from './projection-checkpoints.js';

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

/**
 * Folds the parked events of a stream into a read model, in order, as far as they can be folded now. Rows and parked
 * events change in one transaction, which owns the checkpoint: what a running projector has under way at that time is
 * refused, and it starts again from what the transaction left behind. So no event of the stream is lost or
 * folded twice, however many come in meanwhile.
 * @throws RetryRefused, and whatever the stores throw
 */
export async function retryParked(options: ParkedRetryOptions): Promise<ParkedRetryOutcome> {
  const { url, environment, model } = options;
  const writer = sessionClient({ url, lock: 'atelier-cli' });
  writer.on('error', () => undefined);
  try {
    await writer.connect();
    // Two streams of one model may share rows, so they are retried one after the other.
    if (!(await tryLock(writer, `atelier.parked.${environment}.${model.name}`)))
      throw new RetryRefused(`parked events of ${model.name} are being retried already`);
    const first = await firstParked(writer, options);
    if (first === undefined) return nothingParked;
    await using preparation = model.keysSpanStreams
      ? await prepareAcrossStreams(options)
      : await prepareOneStream(options, first);
    await writer.query('begin');
    const checkpoint = await own(writer, options);
    const firstNow = await firstParked(writer, options);
    if (firstNow === undefined) return nothingParked;
    const refold = await preparation.complete(writer, checkpoint, firstNow);
    const failure = await foldAsFarAsPossible(writer, refold, options.stream);
    const outcome = await settleParked(writer, environment, checkpoint, options.stream, failure);
    await writer.query('commit');
    return { ...outcome, failure };
  } finally {
    // Ends the transaction too, where it was not committed.
    await close(writer);
  }
}

const nothingParked: ParkedRetryOutcome = { applied: 0, parked: 0, failure: undefined };

/** Undefined: the stream is not parked. */
async function firstParked(
  client: pg.Client,
  { environment, model, stream }: ParkedRetryOptions,
): Promise<bigint | undefined> {
  const { rows } = await client.query<{ revision: bigint | null }>(
    `select min(revision) as revision
      from read_store.parked_events join read_store.projections serving using (environment, name, generation)
      where environment = $1 and name = $2 and stream = $3 and ${serves}`,
    [environment, model.name, stream],
  );
  return rows[0]?.revision ?? undefined;
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
function foldOf({ active, own, deliveries, before }: Refold, count: number): ModelFold {
  const left = new Set(own.slice(count));
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
  const { table } = refold.active;
  const { upserts, deletes } = foldOf(refold, count);
  await client.query('savepoint attempt');
  try {
    if (refold.anew.length > 0) await client.query(table.delete(refold.anew));
    if (deletes.length > 0) await client.query(table.delete(deletes));
    if (upserts.length > 0) await client.query(table.upsert(upserts));
    if (what === 'keep') return undefined;
  } catch (error) {
    if (!isRefusedContent(error)) throw error;
    await client.query('rollback to savepoint attempt');
    return asError(error);
  }
  await client.query('rollback to savepoint attempt');
  return undefined;
}

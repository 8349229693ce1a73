import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { EventFilter, EventStore, SubscriptionBatch } from '#event-store/event-store.js';
import { defaults } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { onlyRow } from '#platform/postgres.js';
import { retryUntilAborted } from '#platform/retry.js';
import { asConsumerError, FencedOff } from './consumer-errors.js';
import { runExclusively, transact } from './exclusive-session.js';
import { toProjectedEvent, type ProjectedEvent } from './projected-event.js';

/** The transaction in which a process moves its checkpoint. Never to be committed by the handler. */
export interface ProcessTransaction {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

interface CommonOptions {
  /** The read store's database, which keeps the checkpoint. */
  readonly url: string;
  readonly eventStore: EventStore;
  /** Names the checkpoint, in each environment. */
  readonly name: string;
  readonly environment: Environment;
  /** The events that it wants. Prefixes have to name the environment. */
  readonly filter: EventFilter;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Default 200. */
  readonly batchSize?: number | undefined;
  /** How often a waiting runner looks whether it may take over. Default 1000. */
  readonly takeOverPollMs?: number | undefined;
}

/**
 * - `transactional`: the handler's writes, made through `tx`, and the checkpoint commit together: once.
 * - `at-least-once`: the handler's effects come first and the checkpoint after. After a crash in between the batch is
 *   handled again, so the effects have to be idempotent.
 */
export type ProcessHandler =
  | {
      readonly mode: 'transactional';
      handle(events: readonly ProjectedEvent[], tx: ProcessTransaction): Promise<void>;
    }
  | { readonly mode: 'at-least-once'; handle(events: readonly ProjectedEvent[]): Promise<void> };

export type ProcessOptions = CommonOptions & ProcessHandler;

const firstPauseMs = 100;
const longestPauseMs = 10_000;

/**
 * Hands the events of the log to a handler, in order, from where it left off; one runner per name and environment is
 * active. A handler that throws gets the same batch again, with backoff, for as long as it takes: a process manager
 * must not pass over an event. Resolves when the signal aborts and the batch at hand is done.
 */
export async function runProcess(options: ProcessOptions): Promise<void> {
  const { url, name, environment, signal, log, takeOverPollMs } = options;
  const lock = `atelier.process.${environment}.${name}`;
  await runExclusively({ url, lock, signal, log, takeOverPollMs }, async (client, sessionSignal) => {
    const checkpoint = await takeOverProcess(client, environment, name);
    const ended = new AbortController();
    try {
      await follow(options, client, checkpoint, AbortSignal.any([sessionSignal, ended.signal]));
    } finally {
      ended.abort();
    }
  });
}

async function follow(
  options: ProcessOptions,
  client: pg.Client,
  checkpoint: ProcessCheckpoint,
  signal: AbortSignal,
): Promise<void> {
  const { eventStore, filter, batchSize = defaults.processBatch } = options;
  const after = checkpoint.position === null ? {} : { after: checkpoint.position };
  let written = performance.now();
  for await (const batch of eventStore.subscribe({ ...after, filter, batchSize, signal })) {
    // Where nothing happened for this process, its checkpoint need not follow the log at every step.
    if (batch.events.length === 0 && performance.now() - written < idleCommitMs) continue;
    await handleUntilDone(options, client, checkpoint, batch, signal);
    written = performance.now();
    if (signal.aborted) return;
  }
}

const idleCommitMs = 1_000;

async function handleUntilDone(
  options: ProcessOptions,
  client: pg.Client,
  checkpoint: ProcessCheckpoint,
  batch: SubscriptionBatch,
  signal: AbortSignal,
): Promise<void> {
  const { name, environment, log } = options;
  const position = String(batch.position);
  await retryUntilAborted(() => handleOnce(options, client, checkpoint, batch), {
    ...{ signal, firstPauseMs, longestPauseMs },
    mayPass: (error) => !(asConsumerError(error) instanceof FencedOff),
    onFailure: (err, retryMs) =>
      log.error({ err, process: name, environment, position, retryMs }, `${name} failed and tries again`),
  });
}

async function handleOnce(
  options: ProcessOptions,
  client: pg.Client,
  checkpoint: ProcessCheckpoint,
  batch: SubscriptionBatch,
): Promise<void> {
  const events = batch.events.map(toProjectedEvent);
  const move = moveProcess(checkpoint, batch.position);
  if (options.mode === 'at-least-once' || events.length === 0) {
    if (options.mode === 'at-least-once' && events.length > 0) await options.handle(events);
    await client.query(move);
    return;
  }
  await transact(client, async () => {
    await options.handle(events, client);
    await client.query(move);
  });
}

/** How far a process has come, and the epoch of the runner that owns it. */
export interface ProcessCheckpoint {
  readonly environment: Environment;
  readonly process: string;
  /** Null: it has handled nothing yet. */
  readonly position: bigint | null;
  readonly epoch: bigint;
}

/** From now on a commit of the runner before is refused. */
export async function takeOverProcess(
  client: pg.Client,
  environment: Environment,
  process: string,
): Promise<ProcessCheckpoint> {
  const taken = await client.query<{ position: bigint | null; epoch: bigint }>(
    `insert into ${environment}.process_checkpoints as known (process, epoch) values ($1, 1)
      on conflict (process) do update set epoch = known.epoch + 1, updated_at = now()
      returning position, epoch`,
    [process],
  );
  return { environment, process, ...onlyRow(taken) };
}

/** Moves the checkpoint; fails, and with it the transaction it is in, unless the epoch still is the owner's. */
export function moveProcess(
  { environment, process, epoch }: ProcessCheckpoint,
  position: bigint,
): pg.QueryConfig {
  return {
    name: `move process ${environment}`,
    text: `with moved as (
        update ${environment}.process_checkpoints set position = $3, updated_at = now()
        where process = $1 and epoch = $2 returning process
      )
      select read_store.require((select count(*) from moved) = 1, 'another runner has taken over the process ' || $1)`,
    values: [process, epoch, position],
  };
}

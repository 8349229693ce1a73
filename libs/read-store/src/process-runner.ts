import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { EventFilter, EventStore, SubscriptionBatch } from '#event-store/event-store.js';
import { defaults } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { onlyRow } from '#platform/postgres.js';
import { retryUntilAborted } from '#platform/retry.js';
import type { CommitQueue, Part } from './commit-queue.js';
import { asConsumerError, FencedOff } from './consumer-errors.js';
import { toProjectedEvent, type ProjectedEvent } from './projected-event.js';
import type { Task } from './exclusive-session.js';

export interface ProcessOptions {
  readonly eventStore: EventStore;
  /** Names the checkpoint, in each environment. */
  readonly name: string;
  readonly environment: Environment;
  /** The events that it wants. Prefixes have to name the environment. */
  readonly filter: EventFilter;
  /**
   * Handles events in order. What it does itself is done at least once: after a crash before the checkpoint has moved it
   * gets the same events again. Writes that it gives back commit together with the checkpoint: once.
   */
  handle(events: readonly ProjectedEvent[]): Promise<Part['write'] | void>;
  readonly log: Logger;
  /** Default 200. */
  readonly batchSize?: number | undefined;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;

/** How often an idle process moves its checkpoint after the others' events. */
const idleCommitMs = 1_000;

/** How long a commit waits for one of the read models, which follow the same events. Only a restart reads a checkpoint. */
const patienceMs = { writes: 10, checkpoint: 50 };

/**
 * Hands the events of the log to a handler, in order, from where it left off; one runner per name and environment is
 * active. A handler that throws gets the same batch again, with backoff, for as long as it takes: a process manager
 * must not pass over an event.
 */
export function processTask(options: ProcessOptions): Task {
  const { name, environment, eventStore, filter, batchSize = defaults.processBatch } = options;
  return {
    lock: `atelier.process.${environment}.${name}`,
    async run(commits, signal) {
      const checkpoint = await commits.alone((client) => takeOverProcess(client, environment, name));
      const after = checkpoint.position === null ? {} : { after: checkpoint.position };
      let movedAt = performance.now();
      for await (const batch of eventStore.subscribe({ ...after, filter, batchSize, signal })) {
        if (batch.events.length === 0 && performance.now() - movedAt < idleCommitMs) continue;
        await handleUntilDone(options, commits, checkpoint, batch, signal);
        movedAt = performance.now();
        if (signal.aborted) return;
      }
    },
  };
}

async function handleUntilDone(
  { name, environment, handle, log }: ProcessOptions,
  commits: CommitQueue,
  checkpoint: ProcessCheckpoint,
  { events, position }: SubscriptionBatch,
  signal: AbortSignal,
): Promise<void> {
  const handleOnce = async () => {
    const write = events.length > 0 ? await handle(events.map(toProjectedEvent)) : undefined;
    const queries = [moveProcess(checkpoint, position)];
    if (write) await commits.commit({ write, queries, patienceMs: patienceMs.writes });
    else await commits.commit({ queries, patienceMs: patienceMs.checkpoint });
  };
  await retryUntilAborted(handleOnce, {
    ...{ signal, firstPauseMs, longestPauseMs },
    mayPass: (error) => !(asConsumerError(error) instanceof FencedOff),
    onFailure: (err, retryMs) => {
      const facts = { err, process: name, environment, position: String(position), retryMs };
      log.error(facts, `${name} failed and tries again`);
    },
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

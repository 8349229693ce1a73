import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import {
  passes,
  UnprovenEvent,
  type EventFilter,
  type EventStore,
  type RecordedEvent,
} from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import { onlyRow } from '#platform/postgres.js';
import { retryUntilAborted } from '#platform/retry.js';
import type { CommitQueue, Part } from './commit-queue.js';
import { asConsumerError, ConsumerHalted, FencedOff } from './consumer-errors.js';
import { anchorOf, resumeFrom, type Anchor, type AnchorColumns, type AnchoredCheckpoint } from './log-fit.js';
import { toProjectedEvent, type ProjectedEvent } from './projected-event.js';
import type { Task } from './exclusive-session.js';
import { knownFromLog, StreamCursors } from './stream-continuity.js';

/** How many events a process manager handles together at most. After a crash it repeats as many. */
const usualBatch = 200;

export interface ProcessOptions {
  readonly eventStore: EventStore;
  /** Names the checkpoint, in each environment. */
  readonly name: string;
  readonly environment: Environment;
  /**
   * The events that it wants. Prefixes must name the environment. The runner sees all events of the streams, so
   * that it notices a missing one.
   */
  readonly filter: EventFilter;
  /**
   * Handles events in order. Its own effects happen at least once: after a crash before the checkpoint has
   * moved, it gets the same events again. The writes that it returns happen exactly once, because they commit
   * together with the checkpoint.
   */
  handle(events: readonly ProjectedEvent[]): Promise<Part['write'] | void>;
  /** Called when the runner starts work, because the handler's memory may be older than the checkpoint. */
  begin?(): void;
  readonly log: Logger;
  /** Default 200. */
  readonly batchSize?: number | undefined;
  /** The runner remembers the last revision of at least this many streams. Default 60,000. */
  readonly rememberedStreams?: number | undefined;
}

const firstPauseMs = 100;
const longestPauseMs = 1_500;

/** How often a process manager without own events moves its checkpoint past other events. */
const idleCommitMs = 1_000;

/**
 * How long a commit waits to go together with a commit of the read models, which follow the same events. A
 * checkpoint alone may wait longer, because only a restart reads it.
 */
const patienceMs = { writes: 10, checkpoint: 50 };

/**
 * Hands the events of the log to a handler, in order, from where it stopped last. One runner per name and
 * environment is active. If the handler throws, it gets the same batch again, with backoff and without limit: a
 * process manager must not skip an event. It halts if an event is missing, or if the log is another one.
 */
export function processTask(options: ProcessOptions): Task {
  const { name, environment, log } = options;
  return {
    lock: `atelier.process.${environment}.${name}`,
    async run(commits, signal) {
      const taken = await commits.alone((client) => takeOverProcess(client, environment, name));
      options.begin?.();
      try {
        await follow(options, commits, taken, signal);
      } catch (thrown) {
        const error = asConsumerError(thrown);
        if (error instanceof ConsumerHalted) {
          log.fatal({ process: name, environment }, `${environment} ${name} is halted: ${error.message}`);
          await commits.commit({ queries: [haltProcess(taken, error.message)] });
        }
        throw error;
      }
    },
  };
}

async function follow(
  options: ProcessOptions,
  commits: CommitQueue,
  taken: ProcessCheckpoint,
  signal: AbortSignal,
): Promise<void> {
  const { eventStore, name: consumer, filter, batchSize = usualBatch } = options;
  const checkpoint = await resumeFrom(eventStore, taken);
  const { position, anchor: completed } = checkpoint;
  if (position !== null && completed && !taken.anchor)
    await commits.commit({ queries: [moveProcess(checkpoint, position, completed)] });
  const { types: _types, ...streams } = filter;
  const wanted = passes(filter);
  const cursors = new StreamCursors(options.rememberedStreams);
  let delivered = checkpoint.position;
  const known = knownFromLog(eventStore, () => (cursors.hasForgotten ? delivered : checkpoint.position));
  const after = checkpoint.position === null ? {} : { after: checkpoint.position };
  let movedAt = performance.now();
  for await (const batch of eventStore.subscribe({
    ...after,
    consumer,
    filter: streams,
    batchSize,
    unprovenToo: true,
    signal,
  })) {
    cursors.advance(await cursors.check(batch.events, known));
    delivered = batch.position;
    // The handler ignores events that this service did not write. The store has already reported them. Halting
    // would stop all other tenants.
    const events = batch.events.filter((event) => event.unproven === undefined && wanted(event));
    if (events.length === 0 && performance.now() - movedAt < idleCommitMs) continue;
    // The anchor of a batch without events. Such a batch only moves the checkpoint. So after a failed read it
    // can wait for the next batch.
    const anchor = batch.events.at(-1) ?? (await eventStore.lastEvent(batch.position).catch(() => undefined));
    if (!anchor) continue;
    await handleUntilDone(options, commits, moveProcess(checkpoint, batch.position, anchor), events, signal);
    movedAt = performance.now();
    if (signal.aborted) return;
  }
}

/**
 * If a batch fails because of an event that this service did not write, its events are handled one by one. Work
 * that depends on the event is left undone, because waiting would stop all other tenants. The audit names the
 * event.
 */
async function handleProven(
  { name, environment, handle, log }: ProcessOptions,
  events: readonly ProjectedEvent[],
): Promise<Part['write'] | void> {
  try {
    return await handle(events);
  } catch (error) {
    if (!(error instanceof UnprovenEvent)) throw error;
  }
  const writes: NonNullable<Part['write']>[] = [];
  for (const event of events) {
    try {
      const write = await handle([event]);
      if (write) writes.push(write);
    } catch (err) {
      if (!(err instanceof UnprovenEvent)) throw err;
      const { stream, type } = event;
      log.error({ err, process: name, environment, stream }, `${name} skips ${type} of ${stream}`);
    }
  }
  if (writes.length === 0) return;
  return async (client) => {
    for (const write of writes) await write(client);
  };
}

async function handleUntilDone(
  options: ProcessOptions,
  commits: CommitQueue,
  move: pg.QueryConfig,
  events: readonly RecordedEvent[],
  signal: AbortSignal,
): Promise<void> {
  const { name, environment, log } = options;
  const handleOnce = async () => {
    const write = events.length > 0 ? await handleProven(options, events.map(toProjectedEvent)) : undefined;
    const queries = [move];
    if (write) await commits.commit({ write, queries, patienceMs: patienceMs.writes });
    else await commits.commit({ queries, patienceMs: patienceMs.checkpoint });
  };
  await retryUntilAborted(handleOnce, {
    signal,
    firstPauseMs,
    longestPauseMs,
    mayPass: (error) => !(asConsumerError(error) instanceof FencedOff),
    onFailure: (err, retryMs) => {
      const position = String(events.at(-1)?.position);
      log.error({ err, process: name, environment, position, retryMs }, `${name} failed and tries again`);
    },
  });
}

/** How far a process has come, and the epoch of the runner that owns it. */
export interface ProcessCheckpoint extends AnchoredCheckpoint {
  readonly environment: Environment;
  readonly process: string;
  readonly epoch: bigint;
}

/** From now on a commit of the runner before is refused. */
export async function takeOverProcess(
  client: pg.Client,
  environment: Environment,
  process: string,
): Promise<ProcessCheckpoint> {
  const taken = await client.query<{ position: bigint | null; epoch: bigint } & AnchorColumns>(
    `insert into ${environment}.process_checkpoints as known (process, epoch) values ($1, 1)
      on conflict (process) do update set epoch = known.epoch + 1, halted_because = null, updated_at = now()
      returning position, epoch, event_position, event_id`,
    [process],
  );
  const { position, epoch, ...columns } = onlyRow(taken);
  return { environment, process, position, epoch, anchor: anchorOf(columns) };
}

/** Moves the checkpoint. It fails, and its transaction with it, unless the epoch is still the owner's. */
export function moveProcess(
  { environment, process, epoch }: ProcessCheckpoint,
  position: bigint,
  anchor: Anchor,
): pg.QueryConfig {
  return {
    name: `move process ${environment}`,
    text: `with moved as (
        update ${environment}.process_checkpoints set position = $3, event_position = $4, event_id = $5, updated_at = now()
        where process = $1 and epoch = $2 returning process
      )
      select read_store.require((select count(*) from moved) = 1, 'another runner has taken over the process ' || $1)`,
    values: [process, epoch, position, anchor.position, anchor.id],
  };
}

/** Records why it stands still, unless another runner has taken over. */
function haltProcess({ environment, process, epoch }: ProcessCheckpoint, because: string): pg.QueryConfig {
  return {
    text: `update ${environment}.process_checkpoints set halted_because = $3, updated_at = now()
      where process = $1 and epoch = $2`,
    values: [process, epoch, because],
  };
}

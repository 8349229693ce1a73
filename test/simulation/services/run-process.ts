import type { EventFilter, EventStore, RecordedEvent, SubscriptionBatch } from '#event-store/event-store.js';
import { toProjectedEvent, type ProjectedEvent } from '#read-store/projected-event.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';
import { FencedOff, type Checkpoints, type Hold } from './checkpoints.js';

export interface SimulatedProcessOptions {
  readonly scheduler: Scheduler;
  readonly process: Process;
  readonly store: EventStore;
  readonly checkpoints: Checkpoints;
  readonly name: string;
  readonly filter?: EventFilter;
  /** Resolves to what has to happen in the transaction that moves the checkpoint, if anything. */
  handle(events: readonly ProjectedEvent[]): Promise<(() => void) | void>;
  /** `first` plants a bug: the checkpoint moves before the effects. */
  readonly checkpoint?: 'last' | 'first';
  /** True plants a bug: what a handler throws is passed over. */
  readonly swallowsErrors?: boolean;
}

const firstRetryMs = 100;
const lastRetryMs = 10_000;

/**
 * What `runProcess` of the read store is to the real installation, on simulated checkpoints: one active runner for
 * each name, effects before the checkpoint, and the same batch again for as long as its handler throws.
 */
export async function runSimulatedProcess(options: SimulatedProcessOptions): Promise<never> {
  const { process, store, checkpoints, name, filter } = options;
  for (;;) {
    const hold = await checkpoints.acquire(process, name);
    try {
      const after = hold.position === undefined ? {} : { after: hold.position };
      const wanted = filter ? { filter } : {};
      for await (const batch of store.subscribe({ ...after, ...wanted, batchSize: 200, signal: hold.lost })) {
        if (batch.events.length > 0) await handleUntilDone(options, hold, batch);
      }
    } catch (error) {
      if (!(error instanceof FencedOff)) throw error;
    }
  }
}

async function handleUntilDone(
  options: SimulatedProcessOptions,
  hold: Hold,
  batch: SubscriptionBatch,
): Promise<void> {
  const { scheduler, process } = options;
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, lastRetryMs)) {
    try {
      return await handleOnce(options, hold, batch);
    } catch (error) {
      if (error instanceof FencedOff) throw error;
      await scheduler.after(process, retryMs, hold.lost);
      if (hold.lost.aborted) return;
    }
  }
}

async function handleOnce(
  options: SimulatedProcessOptions,
  hold: Hold,
  batch: SubscriptionBatch,
): Promise<void> {
  const { scheduler, process, checkpoints, checkpoint = 'last', swallowsErrors = false } = options;
  const events = projected(batch.events);
  if (checkpoint === 'first') {
    await scheduler.turn(process);
    checkpoints.commit(hold, batch.position);
    const late = await options.handle(events);
    await scheduler.turn(process);
    late?.();
    return;
  }
  const effects = await options.handle(events).catch((error: unknown) => {
    if (!swallowsErrors) throw error;
  });
  await scheduler.turn(process);
  checkpoints.commit(hold, batch.position, effects ?? (() => undefined));
  await scheduler.turn(process);
}

function projected(events: readonly RecordedEvent[]): ProjectedEvent[] {
  return events.map((event) => toProjectedEvent(event));
}

import {
  EventStoreUnavailable,
  type EventFilter,
  type EventStore,
  type SubscriptionBatch,
} from '#event-store/event-store.js';
import { asConsumerError, ConsumerHalted } from '#read-store/consumer-errors.js';
import { toProjectedEvent, type ProjectedEvent } from '#read-store/projected-event.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';
import type { Wiring } from '../wiring.js';
import { FencedOff, type Checkpoints, type Hold } from './checkpoints.js';

export interface SimulatedProcessOptions {
  readonly wiring: Pick<Wiring, 'resume' | 'anchorOf' | 'checkpoint' | 'swallowsErrors'>;
  readonly scheduler: Scheduler;
  readonly process: Process;
  readonly store: EventStore;
  readonly checkpoints: Checkpoints;
  readonly name: string;
  readonly filter: EventFilter | undefined;
  /** Resolves to the work for the transaction that moves the checkpoint, if there is any. */
  handle(events: readonly ProjectedEvent[]): Promise<(() => void) | void>;
  /** Called when the runner takes up the work. */
  begin(): void;
}

const firstRetryMs = 100;
const lastRetryMs = 10_000;

/**
 * The counterpart of the read store's `runProcess`, on simulated checkpoints. Each name has one active runner,
 * effects come before the checkpoint, and a batch is repeated for as long as its handler throws.
 */
export async function runSimulatedProcess(options: SimulatedProcessOptions): Promise<never> {
  const { scheduler, process, store, checkpoints, name, filter, wiring } = options;
  for (;;) {
    const hold = await checkpoints.acquire(process, name);
    options.begin();
    try {
      const { position } = await wiring.resume(store, hold);
      const after = position === null ? {} : { after: position };
      const wanted = filter ? { filter } : {};
      for await (const batch of store.subscribe({ ...after, ...wanted, batchSize: 200, signal: hold.lost })) {
        if (batch.events.length > 0) await handleUntilDone(options, hold, batch);
      }
    } catch (thrown) {
      const error = asConsumerError(thrown);
      if (error instanceof ConsumerHalted) checkpoints.halt(process, hold, error.message);
      else if (error instanceof EventStoreUnavailable)
        await scheduler.after(process, firstRetryMs, hold.lost);
      else if (!(error instanceof FencedOff)) throw error;
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
  const { scheduler, process, checkpoints, wiring } = options;
  const events = batch.events.map((event) => toProjectedEvent(event));
  const anchor = wiring.anchorOf(batch);
  if (wiring.checkpoint === 'first') {
    await scheduler.turn(process);
    checkpoints.commit(hold, batch.position, anchor);
    const late = await options.handle(events);
    await scheduler.turn(process);
    late?.();
    return;
  }
  const effects = await options.handle(events).catch((error: unknown) => {
    if (!wiring.swallowsErrors) throw error;
  });
  await scheduler.turn(process);
  checkpoints.commit(hold, batch.position, anchor, effects ?? undefined);
  await scheduler.turn(process);
}

import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import {
  batchParents,
  chargeCloser,
  renderDispatcher,
} from '#application/process-managers/process-managers.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import { projections } from '../replicas/projector.js';
import type { Wiring } from '../wiring.js';

/** Changes the batches of one process. */
export function given(
  process: string,
  change: (events: readonly ProjectedEvent[]) => readonly ProjectedEvent[],
): Partial<Wiring> {
  return { delivered: (name, events) => (name === process ? change(events) : events) };
}

/** A delivery of more than `most` events loses its last one. */
export function withoutTheLast(process: string, most: number): Partial<Wiring> {
  return given(process, (events) => (events.length > most ? events.slice(0, -1) : events));
}

/** A process does not hear of one type of event. */
export function withoutType(process: string, unheard: string): Partial<Wiring> {
  return given(process, (events) => events.filter(({ type }) => type !== unheard));
}

export const processBugs = {
  /** The sweep treats every open charge without a job as an orphan. */
  'sweep-ignores-horizon': { sweep: (options) => sweepOrphans({ ...options, orphanHorizonMs: 0 }) },

  /** Charges of failed jobs are kept. */
  'settle-on-failed': given(chargeCloser, (events) =>
    events.map((event) =>
      // Only the type matters: the closer reads nothing else.
      event.type === 'JobFailed' ? ({ ...event, type: 'JobSucceeded' } as unknown as ProjectedEvent) : event,
    ),
  ),

  'checkpoint-before-effect': { checkpoint: 'first' },

  /** Errors of a handler are logged and dropped. */
  'errors-passed-over': { swallowsErrors: true },

  /** Only the caller's own process refunds a cancelled job. */
  'cancels-not-heard': withoutType(chargeCloser, 'JobCancelled'),

  /** Only the process that dispatched a batch begins it. */
  'batches-not-begun': withoutType(batchParents, 'JobQueued'),

  /** A long batch loses its last job before the queue. */
  'queue-loses-the-last': withoutTheLast(renderDispatcher, 2),

  /** A process that was taken for dead continues where it was. */
  'checkpoints-without-epoch': { fenced: false },

  /** Rows are committed first, and their checkpoint after. */
  'rows-before-checkpoint': { tables: 'rows-first' },

  'projection-skips': withoutTheLast(projections, 4),

  'projection-doubles': given(projections, (events) =>
    events.length > 4 ? [...events.slice(0, 1), ...events] : events,
  ),
} satisfies Record<string, Partial<Wiring>>;

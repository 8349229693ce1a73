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

/** Charges of failed jobs are kept. */
export const settleOnFailed = given(chargeCloser, (events) =>
  events.map((event) =>
    // Only the type matters: the closer reads nothing else.
    event.type === 'JobFailed' ? ({ ...event, type: 'JobSucceeded' } as unknown as ProjectedEvent) : event,
  ),
);

/** Only the caller's own process refunds a cancelled job. */
export const cancelsNotHeard = given(chargeCloser, (events) =>
  events.filter(({ type }) => type !== 'JobCancelled'),
);

/** Only the process that dispatched a batch begins it. */
export const batchesNotBegun = given(batchParents, (events) =>
  events.filter(({ type }) => type !== 'JobQueued'),
);

/** A long batch loses its last job before the queue. */
export const queueLosesTheLast = given(renderDispatcher, (events) =>
  events.length > 2 ? events.slice(0, -1) : events,
);

export const checkpointBeforeEffect: Partial<Wiring> = { checkpoint: 'first' };

/** Errors of a handler are logged and dropped. */
export const errorsPassedOver: Partial<Wiring> = { swallowsErrors: true };

/** A process that was taken for dead continues where it was. */
export const checkpointsWithoutEpoch: Partial<Wiring> = { fenced: false };

/** Rows are committed first, and their checkpoint after. */
export const rowsBeforeCheckpoint: Partial<Wiring> = { tables: 'rows-first' };

export const projectionSkips = given(projections, (events) =>
  events.length > 4 ? events.slice(0, -1) : events,
);

export const projectionDoubles = given(projections, (events) =>
  events.length > 4 ? [...events.slice(0, 1), ...events] : events,
);

/** The sweep treats every open charge without a job as an orphan. */
export const sweepIgnoresHorizon: Partial<Wiring> = {
  sweep: (options) => sweepOrphans({ ...options, orphanHorizonMs: 0 }),
};

import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import type { RenderTask } from '#render-queue/render-queue.js';
import type { DeliveredEvent } from './delivered-event.js';

/**
 * Puts every queued job into the render queue, in the transaction that moves its checkpoint: once. Should the
 * checkpoint be lost and history be handled again, workers find those jobs finished and leave them.
 */
export const renderDispatcher = 'render-dispatcher';

export function renderDispatcherFilter(environment: Environment): EventFilter {
  return { types: ['JobQueued'], streamPrefixes: [categoryPrefix(environment, 'job')] };
}

export function renderTasksOf(environment: Environment, events: readonly DeliveredEvent[]): RenderTask[] {
  return events.flatMap((event) => {
    if (event.type !== 'JobQueued') return [];
    const { jobId, tenant } = event.data;
    return [{ environment, tenant, jobId }];
  });
}

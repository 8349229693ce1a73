import { LRUCache } from 'lru-cache';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventFilter, EventStore } from '#event-store/event-store.js';
import type { RenderTask } from '#render-queue/render-queue.js';
import { groupingOf, groupingStage, jobEvents } from '../render/batch-grouping.js';
import type { DeliveredEvent } from './delivered-event.js';

/**
 * Puts every queued job into the render queue, in the transaction that moves its checkpoint: once. Should the
 * checkpoint be lost and history be handled again, workers find those jobs finished and leave them.
 */
export const renderDispatcher = 'render-dispatcher';

export function renderDispatcherFilter(environment: Environment): EventFilter {
  return { types: ['JobQueued', 'StageCompleted'], streamPrefixes: [categoryPrefix(environment, 'job')] };
}

/** Whose render may begin now: a job's own, that of a photograph if its batch was grouped, or of all photographs. */
export type RenderStart =
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'child'; readonly jobId: string; readonly parentJobId: string }
  | { readonly kind: 'children-of'; readonly jobId: string };

export function renderStartOf(event: DeliveredEvent): RenderStart | undefined {
  switch (event.type) {
    case 'JobQueued': {
      const { jobId, parentJobId } = event.data;
      return parentJobId === null ? { kind: 'job', jobId } : { kind: 'child', jobId, parentJobId };
    }
    case 'StageCompleted':
      return event.data.stage === groupingStage ? { kind: 'children-of', jobId: event.streamId } : undefined;
    default:
      return undefined;
  }
}

/**
 * The photographs of a batch wait until their parent was grouped, and are then enqueued together. One whose JobQueued
 * comes later than that is enqueued by itself, so each is enqueued at least once; twice is as good as once.
 */
export class RenderDispatcher {
  /** The jobs of batches that were grouped. What they are is settled by their parent's first event. */
  readonly #grouped = new LRUCache<string, readonly string[]>({ max: 10_000 });

  constructor(
    private readonly environment: Environment,
    private readonly store: EventStore,
  ) {}

  /** @throws what the store throws */
  async tasksOf(events: readonly DeliveredEvent[]): Promise<RenderTask[]> {
    const tasks = await Promise.all(
      events.map(async (event) => {
        const start = renderStartOf(event);
        const jobIds = start ? await this.#jobsOf(start) : [];
        const { tenant } = event.metadata;
        return jobIds.map((jobId): RenderTask => ({ environment: this.environment, tenant, jobId }));
      }),
    );
    return tasks.flat();
  }

  async #jobsOf(start: RenderStart): Promise<readonly string[]> {
    switch (start.kind) {
      case 'job':
        return [start.jobId];
      case 'child':
        return (await this.#groupedChildren(start.parentJobId)) ? [start.jobId] : [];
      case 'children-of':
        return (await this.#groupedChildren(start.jobId)) ?? [];
      default:
        return start satisfies never;
    }
  }

  /** Undefined while the parent was not grouped. */
  async #groupedChildren(parentJobId: string): Promise<readonly string[] | undefined> {
    const known = this.#grouped.get(parentJobId);
    if (known) return known;
    const events = await jobEvents(this.store, this.environment, parentJobId);
    if (!groupingOf(events)) return undefined;
    const children = events[0]?.type === 'JobQueued' ? (events[0].data.childJobIds ?? []) : [];
    this.#grouped.set(parentJobId, children);
    return children;
  }
}

import { batchPartOf, concludeBatch, type ConcludeBatch } from '#domain/job/conclude-batch.js';
import { type QueuedJob, queueJob } from '#domain/job/job.js';
import { cancelJob } from '#domain/job/render-job.js';
import { categoryPrefix, streamName, type Environment } from '#domain/streams.js';
import type { EventFilter, EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import { handle } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { childrenOf } from '../dispatch/batch.js';
import { groupingStageOf, jobEvents, sharedOf } from '../render/batch-grouping.js';
import { jobAggregate } from '../render/job-aggregate.js';
import { endedJobOf, type DeliveredEvent } from './delivered-event.js';
import { inReaction } from './in-reaction.js';

export const batchParents = 'batch-parents';

export function batchParentsFilter(environment: Environment): EventFilter {
  const types = ['JobQueued', 'JobSucceeded', 'JobFailed', 'JobCancelled'];
  return { types, streamPrefixes: [categoryPrefix(environment, 'job')] };
}

/** Where a job stands in a batch. */
export type Lineage =
  | { readonly kind: 'single' }
  | { readonly kind: 'parent' }
  | { readonly kind: 'child'; readonly parentJobId: string };

export interface BatchStep {
  /**
   * - `begin`: the jobs of all photographs are queued; the API that dispatched the batch may have died before.
   * - `conclude`: the parent ends if all its photographs have ended.
   * - `cancel`: the parent has ended without a result, so its photographs are no longer wanted.
   */
  readonly kind: 'begin' | 'conclude' | 'cancel';
  readonly parentJobId: string;
}

/** What an event means for a batch. Undefined: nothing. */
export function reactOfBatch(event: DeliveredEvent, lineage: Lineage): BatchStep | undefined {
  const { type, streamId } = event;
  if (lineage.kind === 'single') return undefined;
  switch (type) {
    case 'JobQueued':
      return lineage.kind === 'parent' ? { kind: 'begin', parentJobId: streamId } : undefined;
    case 'JobSucceeded':
    case 'JobFailed':
    case 'JobCancelled':
      if (lineage.kind === 'child') return { kind: 'conclude', parentJobId: lineage.parentJobId };
      return type === 'JobSucceeded' ? undefined : { kind: 'cancel', parentJobId: streamId };
    default:
      return undefined;
  }
}

/**
 * Holds a batch together: queues its photographs, ends its parent when they have ended, and ends them when their
 * parent has. Each step looks at the streams as they are now and does what is left to do, so it may be repeated.
 *
 * A photograph that the sweep has fenced off names no parent, and needs not: a fence only ever comes before JobQueued,
 * and after `begin` each photograph is either queued or fenced off.
 */
export class BatchParents {
  constructor(
    private readonly environment: Environment,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** @throws what the store throws; the events may then be handled again */
  async handle(events: readonly DeliveredEvent[]): Promise<void> {
    const steps = await Promise.all(
      events.map(async (event) => reactOfBatch(event, await this.lineageOf(event))),
    );
    // Siblings that end together need one look at their batch.
    const distinct = new Map(
      steps.flatMap((step, index) => (step ? [[JSON.stringify(step), { step, event: events[index]! }]] : [])),
    );
    for (const { step, event } of distinct.values()) {
      await inReaction(batchParents, this.environment, event, () => this.take(step));
    }
  }

  private async take({ kind, parentJobId }: BatchStep): Promise<void> {
    const parentEvents = await jobEvents(this.store, this.environment, parentJobId);
    const [first] = parentEvents;
    if (first?.type !== 'JobQueued')
      throw new Error(`the batch ${parentJobId} does not begin with JobQueued`);
    const parent = first.data;
    switch (kind) {
      case 'begin':
        await Promise.all(childrenOf(parent).map((child) => this.queue(child)));
        // There may be nothing to wait for: all of them may have been fenced off.
        return this.conclude(parent);
      case 'conclude':
        return this.conclude(parent);
      case 'cancel':
        await Promise.all((parent.childJobIds ?? []).map((jobId) => this.cancel(parent, jobId)));
        return;
      default:
        return kind satisfies never;
    }
  }

  /** One that is there, or that was fenced off, is left as it is. */
  private async queue(child: QueuedJob): Promise<void> {
    const context = this.context(child, `queue:${child.jobId}`);
    await handle(this.store, this.stream(child.jobId), jobAggregate, (job) => queueJob(child, job), context);
  }

  private async conclude(parent: QueuedJob): Promise<void> {
    const read = (jobId: string) => jobEvents(this.store, this.environment, jobId);
    const parts = (await Promise.all((parent.childJobIds ?? []).map(read))).map(batchPartOf);
    const grouping = groupingStageOf(await read(parent.jobId));
    const context = this.context(parent, `conclude:${parent.jobId}`);
    const command: ConcludeBatch = {
      parts,
      shared: sharedOf(grouping?.artifacts ?? []),
      sharedFailures: grouping?.failures ?? [],
      at: context.at.toISOString(),
    };
    const stream = this.stream(parent.jobId);
    await handle(this.store, stream, jobAggregate, (job) => concludeBatch(command, job), context);
  }

  private async cancel(parent: QueuedJob, jobId: string): Promise<void> {
    const context = this.context(parent, `cancel-with-batch:${jobId}`);
    const reason = 'The batch that this photograph belongs to has ended.';
    const command = { reason, at: context.at.toISOString() };
    await handle(this.store, this.stream(jobId), jobAggregate, (job) => cancelJob(command, job), context);
  }

  private async lineageOf(event: DeliveredEvent): Promise<Lineage> {
    switch (event.type) {
      case 'JobQueued':
        return lineageOf(event.data);
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
        return lineageOf(await endedJobOf(this.store, this.environment, event));
      default:
        return { kind: 'single' };
    }
  }

  private stream(jobId: string): string {
    return streamName(this.environment, 'job', jobId);
  }

  private context({ tenant, requestId }: QueuedJob, commandId: string): CommandContext {
    const actor = `saga:${batchParents}`;
    return { environment: this.environment, tenant, requestId, commandId, actor, at: this.clock() };
  }
}

/** The parent of a batch has no charge of its own. */
function lineageOf({ chargeId, parentJobId }: Pick<QueuedJob, 'chargeId' | 'parentJobId'>): Lineage {
  if (parentJobId !== null) return { kind: 'child', parentJobId };
  return { kind: chargeId === null ? 'parent' : 'single' };
}

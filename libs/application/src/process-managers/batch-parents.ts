import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { batchPartOf } from '#domain/job/conclude-batch.js';
import type { QueuedJob } from '#domain/job/job.js';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import type { CommandContext } from '../command-context.js';
import { childrenOf } from '../dispatch/dispatched-jobs.js';
import { EndBatch, QueueJob, StopJob } from '../job/job-writes.handler.js';
import { groupingStageOf, jobEvents, sharedOf } from '../render/batch-grouping.js';
import { endedJobOf, type DeliveredEvent, inReaction } from './delivered-event.js';
import type { ProcessManager } from './process-manager.js';
import { batchParents } from './process-managers.js';

export type Lineage =
  | { readonly kind: 'single' }
  | { readonly kind: 'parent' }
  | { readonly kind: 'child'; readonly parentJobId: string };

export interface BatchStep {
  /**
   * - `begin`: queues the jobs of all photographs, in case the API died before it had done so.
   * - `conclude`: the parent ends if all its photographs have ended.
   * - `cancel`: the parent has ended without a result, so its photographs are no longer wanted.
   */
  readonly kind: 'begin' | 'conclude' | 'cancel';
  readonly parentJobId: string;
}

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
 * Holds a batch together: queues its photographs, ends the parent once they have all ended, and ends them once
 * the parent has. Each step reads the streams as they are now and does the rest of its work, so it may be
 * repeated.
 *
 * A photograph that the sweep has fenced off names no parent. It does not need one: a fence only ever comes
 * before JobQueued, and after `begin` each photograph is either queued or fenced off.
 */
@Injectable()
export class BatchParents implements ProcessManager {
  constructor(
    private readonly commands: CommandBus,
    private readonly store: EventStore,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @throws the store's errors; the events may then be handled again */
  async handle(environment: Environment, events: readonly DeliveredEvent[]): Promise<void> {
    const steps = await Promise.all(
      events.map(async (event) => reactOfBatch(event, await this.lineageOf(environment, event))),
    );
    // Siblings that end together need one look at their batch.
    const distinct = new Map(
      steps.flatMap((step, index) => (step ? [[JSON.stringify(step), { step, event: events[index]! }]] : [])),
    );
    for (const { step, event } of distinct.values()) {
      await inReaction(batchParents, environment, event, () => this.take(environment, step));
    }
  }

  /** Does the rest of a step's work. @throws the store's errors */
  async take(environment: Environment, { kind, parentJobId }: BatchStep): Promise<void> {
    const [first] = await jobEvents(this.store, environment, parentJobId);
    if (first?.type !== 'JobQueued')
      throw new Error(`the batch ${parentJobId} does not begin with JobQueued`);
    const parent = first.data;
    const context = (commandId: string): CommandContext => {
      const { tenant, requestId } = parent;
      return { environment, tenant, requestId, commandId, actor: `saga:${batchParents}`, at: this.clock() };
    };
    switch (kind) {
      case 'begin':
        // A photograph that is queued or fenced off already stays as it is.
        await Promise.all(
          childrenOf(parent).map((child) =>
            this.commands.execute(new QueueJob(context(`queue:${child.jobId}`), child.jobId, child)),
          ),
        );
        // All photographs may have been fenced off; then there is nothing to wait for.
        return this.conclude(environment, parent, context);
      case 'conclude':
        return this.conclude(environment, parent, context);
      case 'cancel': {
        const reason = 'The batch that this photograph belongs to has ended.';
        await Promise.all(
          (parent.childJobIds ?? []).map((jobId) =>
            this.commands.execute(new StopJob(context(`cancel-with-batch:${jobId}`), jobId, { reason })),
          ),
        );
        return;
      }
      default:
        return kind satisfies never;
    }
  }

  private async conclude(
    environment: Environment,
    { jobId, childJobIds = [] }: QueuedJob,
    context: (commandId: string) => CommandContext,
  ): Promise<void> {
    const read = (id: string) => jobEvents(this.store, environment, id);
    const parts = (await Promise.all(childJobIds.map(read))).map(batchPartOf);
    const grouping = groupingStageOf(await read(jobId));
    const shared = sharedOf(grouping?.artifacts ?? []);
    const batch = { parts, shared, sharedFailures: grouping?.failures ?? [] };
    await this.commands.execute(new EndBatch(context(`conclude:${jobId}`), jobId, batch));
  }

  private async lineageOf(environment: Environment, event: DeliveredEvent): Promise<Lineage> {
    switch (event.type) {
      case 'JobQueued':
        return lineageOf(event.data);
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
        return lineageOf(await endedJobOf(this.store, environment, event));
      default:
        return { kind: 'single' };
    }
  }
}

/** The parent of a batch has no charge of its own. */
function lineageOf({ chargeId, parentJobId }: Pick<QueuedJob, 'chargeId' | 'parentJobId'>): Lineage {
  if (parentJobId !== null) return { kind: 'child', parentJobId };
  return { kind: chargeId === null ? 'parent' : 'single' };
}

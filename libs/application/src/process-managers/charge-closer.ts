import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { DomainEventType } from '#domain/events.js';
import type { Job } from '#domain/job/job.js';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { CloseCharge, type ChargeEnd, type JobCharge } from '../account/charges.handler.js';
import { endedJobOf, type DeliveredEvent, inReaction } from './delivered-event.js';
import type { ProcessManager } from './process-manager.js';
import { chargeCloser } from './process-managers.js';

/** How the charge of a job with this status ends. Undefined: the job goes on. */
export function endOfCharge(job: Job['status'], charge: JobCharge): ChargeEnd | undefined {
  switch (job) {
    case 'succeeded':
      return { kind: 'settle', ...charge };
    case 'failed':
      return { kind: 'refund', reason: 'job-failed', ...charge };
    case 'cancelled':
      return { kind: 'refund', reason: 'job-cancelled', ...charge };
    case 'voided':
      return { kind: 'refund', reason: 'orphaned', ...charge };
    case 'unqueued':
    case 'queued':
    case 'rendering':
      return undefined;
    default:
      return job satisfies never;
  }
}

const ends: { readonly [Type in DomainEventType]?: Job['status'] } = {
  JobSucceeded: 'succeeded',
  JobFailed: 'failed',
  JobCancelled: 'cancelled',
  JobVoided: 'voided',
};

/** Undefined: this event does not end a job. */
export function reactOfCloser({ type }: DeliveredEvent, charge: JobCharge): ChargeEnd | undefined {
  const job = ends[type];
  return job && endOfCharge(job, charge);
}

/**
 * Closes the charge of every job that has ended: settles it after success, and refunds it otherwise. The
 * checkpoint moves after the effects, so after a crash a batch is handled again; closing a closed charge does
 * nothing.
 */
@Injectable()
export class ChargeCloser implements ProcessManager {
  constructor(
    private readonly commands: CommandBus,
    private readonly store: EventStore,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Handles the whole batch at once, so that the accounts' writer commits the events of one account together.
   * @throws the store's errors; the batch may then be handled again
   */
  async handle(environment: Environment, events: readonly DeliveredEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.close(environment, event)));
  }

  private async close(environment: Environment, event: DeliveredEvent): Promise<void> {
    const charge = await this.chargeOf(environment, event);
    const end = charge && reactOfCloser(event, charge);
    if (!end) return;
    const { requestId } = event.metadata;
    const caused = { environment, requestId, actor: `saga:${chargeCloser}`, at: this.clock() };
    const close = () => this.commands.execute(new CloseCharge(end, caused));
    await inReaction(chargeCloser, environment, event, close);
  }

  /** Undefined: the event ends no job, or the job has no charge, like the parent of a batch. */
  private async chargeOf(environment: Environment, event: DeliveredEvent): Promise<JobCharge | undefined> {
    switch (event.type) {
      case 'JobVoided':
        return event.data;
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled': {
        const { tenant, chargeId } = await endedJobOf(this.store, environment, event);
        return chargeId === null ? undefined : { tenant, chargeId };
      }
      default:
        return undefined;
    }
  }
}

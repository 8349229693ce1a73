import { Inject, Injectable } from '@nestjs/common';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { DeliveryQueue } from './delivery-queue.js';
import { deliveryRetentionDays } from './deliveries.js';
import { Deliveries } from './postgres-deliveries.js';

/**
 * A delivery that is due for longer than this was forgotten by the queue. One that merely waits there is not
 * enqueued twice.
 */
const overdueMs = 10 * 60_000;

/** Forgets old deliveries, and puts deliveries that the queue has lost back into it. */
@Injectable()
export class DeliveryCare implements HousekeepingTask {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly queue: DeliveryQueue,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment): Promise<void> {
    const now = this.clock().getTime();
    await this.deliveries.forgetBefore(environment, new Date(now - deliveryRetentionDays * 24 * 60 * 60_000));
    const overdue = await this.deliveries.overdue(environment, new Date(now - overdueMs), 1_000);
    if (overdue.length > 0) await this.queue.requeue(overdue);
  }
}

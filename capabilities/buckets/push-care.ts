import { Inject, Injectable } from '@nestjs/common';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { PushQueue } from './push-queue.js';
import { Pushes, pushRetentionDays } from './pushes.js';

/** The queue has lost a task that is due for longer. One that waits there stays as it is. */
const overdueMs = 10 * 60_000;

/** Forgets old pushes, and puts those that the queue has lost back into it. */
@Injectable()
export class PushCare implements HousekeepingTask {
  constructor(
    private readonly pushes: Pushes,
    private readonly queue: PushQueue,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment): Promise<void> {
    const now = this.clock().getTime();
    await this.pushes.forgetBefore(environment, new Date(now - pushRetentionDays * 24 * 60 * 60_000));
    const overdue = await this.pushes.overdue(environment, new Date(now - overdueMs), 1_000);
    if (overdue.length > 0) await this.queue.requeue(overdue);
  }
}

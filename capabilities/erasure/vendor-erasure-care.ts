import { Inject, Injectable } from '@nestjs/common';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Database } from '#read-store/database.js';
import { VendorErasureQueue } from './vendor-erasure-queue.js';
import type { VendorErasureTask } from './vendor-erasure.task.js';

/** The queue has lost a task that is older. One that waits there stays as it is. */
const overdueMs = 10 * 60_000;

/** Puts erasures back whose vendors were not asked, because the queue has lost them. */
@Injectable()
export class VendorErasureCare implements HousekeepingTask {
  constructor(
    private readonly database: Database,
    private readonly queue: VendorErasureQueue,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment): Promise<void> {
    const { rows } = await this.database.query(
      `select tenant, erasure_id as "erasureId" from ${environment}.erasure_orders
         where vendors_told_at is not null and vendors_told_at < $1 order by vendors_told_at limit 1000`,
      [new Date(this.clock().getTime() - overdueMs)],
    );
    const overdue = (rows as Omit<VendorErasureTask, 'environment'>[]).map((row) => ({
      environment,
      ...row,
    }));
    if (overdue.length > 0) await this.queue.requeue(overdue);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Database } from '#read-store/database.js';
import { ErasureProcess } from './erasure-process.js';

/** An erasure that has run for longer is looked at. If it is only large, it is carried out by two processes. */
const overdueMs = 10 * 60_000;

/**
 * Goes on with erasures whose end a restore of the log has lost. The process manager has their requests behind its
 * checkpoint, and the request is still in the log, so nothing else shows the loss (ADR 31).
 */
@Injectable()
export class UnfinishedErasures implements HousekeepingTask {
  constructor(
    private readonly erasures: ErasureProcess,
    private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async tend(environment: Environment, signal: AbortSignal): Promise<void> {
    const { rows } = await this.database.query(
      `select erasure_id as "erasureId" from ${environment}.erasure_orders
         where status = 'running' and requested_at < $1 order by requested_at limit 100`,
      [new Date(this.clock().getTime() - overdueMs)],
    );
    for (const { erasureId } of rows as { erasureId: string }[]) {
      if (signal.aborted) return;
      await this.erasures.finish(environment, erasureId);
    }
  }
}

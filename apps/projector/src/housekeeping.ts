import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { StrandedJobs } from '#application/process-managers/stranded-jobs.js';
import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { KeptAnswers } from '#application/render/kept-answers.js';
import { ReadModels } from '#application/read-models.js';
import { Deliveries, deliveryRetentionDays } from '#application/webhook/deliveries.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { PostgresRateLimitStore } from '#read-store/rate-limit-store.js';
import { DeliveryQueue } from '#render-queue/delivery-queue.js';

/** A delivery that is due for longer was forgotten by the queue. One that merely waits there is not enqueued twice. */
const overdueMs = 10 * 60_000;

/**
 * What has to be done from time to time: giving orphaned charges back, putting jobs and deliveries into the queues that lost
 * them, forgetting old Idempotency-Keys, counts of the rate limit, deliveries and what vendors answered. Needs no lock: two projectors that do it at
 * the same time do no harm.
 */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly commands: CommandBus,
    private readonly reads: ReadModels,
    private readonly stranded: StrandedJobs,
    private readonly keys: PostgresIdempotencyStore,
    private readonly requests: PostgresRateLimitStore,
    private readonly deliveries: Deliveries,
    private readonly deliveryQueue: DeliveryQueue,
    private readonly answers: KeptAnswers,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** Keeps one environment in order until the signal aborts. */
  async run(environment: Environment, signal: AbortSignal): Promise<void> {
    const { sweepIntervalMs } = this.configuration.projector;
    // A pause that the signal cuts short ends the loop.
    while (await sleep(sweepIntervalMs, true, { signal }).catch(() => false)) {
      try {
        await this.round(environment, signal);
      } catch (error) {
        this.logger.error({ err: error, environment }, 'housekeeping failed and will be tried again');
      }
      await this.reconcile(environment);
    }
  }

  /** By itself, so that a sweep that fails leaves no job stranded. */
  private async reconcile(environment: Environment): Promise<void> {
    try {
      const jobs = await this.stranded.look(environment);
      if (jobs > 0)
        this.logger.warn({ environment, jobs }, 'jobs that had lost their task have got it again');
    } catch (error) {
      this.logger.error({ err: error, environment }, 'stranded jobs could not be looked for');
    }
  }

  private async round(environment: Environment, signal: AbortSignal): Promise<void> {
    const { commands, clock, logger } = this;
    const { sweepBatch, orphanHorizonMs } = this.configuration.projector;
    const { openCharges } = this.reads.of(environment);
    await sweepOrphans({
      ...{ environment, commands, openCharges, clock, logger, sweepBatch, orphanHorizonMs, signal },
    });
    await this.keys.forgetExpired(environment);
    await this.requests.forgetIdle();
    await this.tendDeliveries(environment);
    await this.answers.forget(environment, clock());
  }

  private async tendDeliveries(environment: Environment): Promise<void> {
    const now = this.clock().getTime();
    await this.deliveries.forgetBefore(environment, new Date(now - deliveryRetentionDays * 24 * 60 * 60_000));
    const overdue = await this.deliveries.overdue(environment, new Date(now - overdueMs), 1_000);
    if (overdue.length > 0) await this.deliveryQueue.requeue(overdue);
  }
}

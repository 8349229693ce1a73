import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import { StrandedJobs } from '#application/process-managers/stranded-jobs.js';
import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { IncomingPictures } from '#application/picture/incoming-pictures.js';
import { KeptAnswers } from '#application/render/kept-answers.js';
import { ReadModels } from '#application/read-models.js';
import type { Environment } from '#domain/streams.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { PostgresRateLimitStore } from '#read-store/rate-limit-store.js';

/**
 * The work that is due from time to time. It refunds orphaned charges, and puts jobs that lost their task back
 * into the queue. It deletes old Idempotency-Keys, counts of the rate limit, kept answers of vendors and files of direct
 * uploads that were never completed. It also runs the tasks of capabilities. It needs no lock, because two projectors that do it at the same time do
 * no harm.
 */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly commands: CommandBus,
    private readonly reads: ReadModels,
    private readonly stranded: StrandedJobs,
    private readonly keys: PostgresIdempotencyStore,
    private readonly requests: PostgresRateLimitStore,
    private readonly answers: KeptAnswers,
    private readonly incoming: IncomingPictures,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** Keeps one environment in order until the signal aborts. @param tasks the tasks of capabilities */
  async run(
    environment: Environment,
    tasks: readonly HousekeepingTask[],
    signal: AbortSignal,
  ): Promise<void> {
    const { sweepIntervalMs } = this.configuration.projector;
    // A pause that the signal cuts short ends the loop.
    while (await sleep(sweepIntervalMs, true, { signal }).catch(() => false)) {
      await this.try(environment, () => this.round(environment, signal));
      for (const task of tasks) await this.try(environment, () => task.tend(environment, signal));
      // Apart from the other work, so that a failed sweep leaves no job stranded.
      await this.try(environment, () => this.reconcile(environment), 'the search for stranded jobs failed');
    }
  }

  private async try(
    environment: Environment,
    work: () => Promise<void>,
    message = 'housekeeping failed and will be tried again',
  ): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.logger.error({ err, environment }, message);
    }
  }

  private async reconcile(environment: Environment): Promise<void> {
    const jobs = await this.stranded.look(environment);
    if (jobs > 0)
      this.logger.warn({ environment, jobs }, 'jobs had lost their tasks, which are queued again');
  }

  private async round(environment: Environment, signal: AbortSignal): Promise<void> {
    const { commands, clock, logger } = this;
    const { sweepBatch, orphanHorizonMs } = this.configuration.projector;
    const { openCharges } = this.reads.of(environment);
    await sweepOrphans({
      environment,
      commands,
      openCharges,
      clock,
      logger,
      sweepBatch,
      orphanHorizonMs,
      signal,
    });
    await this.keys.forgetExpired(environment);
    await this.requests.forgetIdle();
    await this.answers.forget(environment, clock());
    await this.incoming.forget(environment, clock());
  }
}

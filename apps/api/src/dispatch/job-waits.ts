import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { JobQueries, type JobDetail } from '#application/job/job-queries.js';
import { Logger } from '#platform/logger.js';

/** Clients that wait for the job they have just dispatched. */
@Injectable()
export class JobWaits implements OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly jobs: JobQueries,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** A server that stops answers waiting clients at once, like requests that do not wait. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** The ended job. Undefined if the time is over, the client has gone, or the wait fails. */
  async forEnd(
    caller: Caller,
    jobId: string,
    seconds: number,
    reply: FastifyReply,
  ): Promise<JobDetail | undefined> {
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once('close', leave);
    try {
      const signal = AbortSignal.any([gone.signal, this.stopping.signal]);
      return await this.jobs.end(caller, jobId, { timeoutMs: seconds * 1_000, signal });
    } catch (err) {
      // The dispatch has succeeded: the client can still poll, so the failed wait must not become an error.
      this.logger.warn({ err, jobId }, 'a client could not wait for its job');
      return undefined;
    } finally {
      reply.raw.off('close', leave);
    }
  }
}

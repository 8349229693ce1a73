import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { type JobDetail, AwaitJob } from '#application/job/job-queries.handler.js';
import { Logger } from '#platform/logger.js';

/** Clients that wait for the job they have just dispatched. */
@Injectable()
export class JobWaits implements OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly queries: QueryBus,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** A server that stops answers waiting clients at once, with what they would have got without waiting. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** The job once it has ended; undefined when the time is over, the client has gone, or the wait fails. */
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
      return await this.queries.execute(new AwaitJob(caller, jobId, seconds * 1_000, signal));
    } catch (err) {
      // The dispatch has happened: a client that gets no end can still poll, and must not be told of an error.
      this.logger.warn({ err, jobId }, 'a client could not wait for its job');
      return undefined;
    } finally {
      reply.raw.off('close', leave);
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { RecordRejection } from '#application/usage/record-rejection.handler.js';
import { Clock } from '#platform/clock.js';
import { Logger } from '#platform/logger.js';
import type { ApiError } from '../http/api-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The workflow that this route dispatches. */
    workflow?: string;
  }
}

/**
 * Records refused dispatches in the usage log. It omits 401 and 429, because a caller could fill the log with
 * them; the metrics count them. It also omits failures on our side.
 */
const recorded = new Set([402, 403, 404, 409, 410, 413, 415, 422]);

/**
 * How long the answer waits for the record of its refusal. If the store is slower, the record follows after the
 * answer.
 */
const patienceMs = 2_000;

/** Records a refused dispatch in the usage log. A failure here does not change the answer. */
@Injectable()
export class RefusedDispatches {
  constructor(
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  async record(request: FastifyRequest, reply: FastifyReply, error: ApiError): Promise<void> {
    const { caller, routeOptions } = request;
    const { workflow } = routeOptions.config;
    if (workflow === undefined || !caller || !recorded.has(error.status)) return;
    // A dry run never leaves a record. The query may be the refused part, so its unvalidated form is read.
    if ((request.query as { dry_run?: unknown }).dry_run === 'true') return;
    const rejection = new RecordRejection(caller, {
      requestId: request.id,
      operation: workflow,
      endpoint: routeOptions.url ?? '',
      method: request.method,
      httpStatus: error.status,
      errorCode: error.code,
      errorMessage: error.message.slice(0, 1_000),
      latencyMs: Math.round(reply.elapsedTime),
      at: this.clock().toISOString(),
    });
    const recording = this.commands
      .execute(rejection)
      .then((position) => position !== undefined && this.consistency.noteWrite(caller, position))
      .catch((err: unknown) => this.logger.warn({ requestId: request.id, err }, 'refusal not recorded'));
    await Promise.race([recording, sleep(patienceMs, undefined, { ref: false })]);
  }
}

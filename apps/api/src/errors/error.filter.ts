import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from '#platform/logger.js';
import { RefusedDispatches } from '../dispatch/refused-dispatches.js';
import { allowedMethods } from '../http/route-table.js';
import { ApiError } from './api-error.js';
import { envelopeOf } from './error-envelope.js';
import { translateError } from './translate-error.js';

/** The one place where errors of our code, Nest and Fastify become answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(Logger) private readonly logger: Logger,
    private readonly refusals: RefusedDispatches,
  ) {}

  async catch(raised: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = this.withAllowedMethods(translateError(raised), request);
    this.log(error, request);
    await this.refusals.record(request, reply, error);
    // The client went away, or the answer is under way already: the error can no longer be told.
    if (reply.sent) return;
    void reply.code(error.status).headers(error.headers).send(envelopeOf(error, request.id));
  }

  /** What we did wrong is logged with all that is known; what is merely away, in one line. */
  private log({ status, cause }: ApiError, { id: requestId, routeOptions }: FastifyRequest): void {
    const route = routeOptions.url;
    if (status === 503) this.logger.warn({ requestId, route, because: String(cause) }, 'answered 503');
    else if (status >= 500) this.logger.error({ requestId, route, err: cause }, 'answered 500');
  }

  /** Fastify answers 404 for a method that a path does not have; the difference helps the caller who typed it. */
  private withAllowedMethods(error: ApiError, request: FastifyRequest): ApiError {
    if (error.status !== 404 || request.routeOptions.url !== undefined) return error;
    const allowed = allowedMethods(request.server, request.url);
    if (allowed.length === 0) return error;
    return new ApiError('METHOD_NOT_ALLOWED', `This path answers to ${allowed.join(', ')} only.`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

import { HttpException, Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  EventTooLarge,
  StreamContended,
  UnprovenEvent,
} from '#event-store/event-store.js';
import { DispatchVoided } from '#application/dispatch/dispatcher.js';
import { IdempotencyLeaseLost } from '#application/dispatch/idempotency.js';
import { InvalidFields } from '#validation/validate.js';
import { ApiError, invalid, type ErrorCode, envelopeOf } from './api-error.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorCode, isDiskFull } from '#platform/errors.js';
import { Logger } from '#platform/logger.js';
import { RefusedDispatches } from '../dispatch/refused-dispatches.js';
import { DiskRoom } from './disk-room.js';
import { allowedMethods } from './route-table.js';

/** Our words for errors of the framework, by status. A status that is not listed is our own fault: 500. */
const nothingHere = 'There is nothing at this path. The paths that exist are in /openapi.json.';
const byStatus: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['BAD_REQUEST', 'The request could not be read: check its URL, headers and framing.'],
  // The file server answers 403 for paths that lead out of its folder, or that cannot name a file.
  403: ['RESOURCE_NOT_FOUND', nothingHere],
  404: ['RESOURCE_NOT_FOUND', nothingHere],
  408: ['REQUEST_TIMEOUT', 'The request did not arrive in time. Nothing was charged; send it again.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is larger than this endpoint accepts. Nothing was charged.'],
  414: ['URI_TOO_LONG', 'A part of the path is longer than any identifier of this service.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'The Content-Type header is not one that this endpoint accepts.'],
  431: ['HEADERS_TOO_LARGE', 'The headers of the request are larger than 16 KiB.'],
  503: ['SERVICE_UNAVAILABLE', 'The service is shutting down. Send the request again.'],
};

/**
 * Translates any error into an answer. An unforeseen error becomes INTERNAL_ERROR and does not show its cause.
 */
export function translateError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof InvalidFields) return invalid(error.problems);
  // An append with an unknown outcome has its own answer below.
  if (isDiskFull(error) && !(error instanceof AppendOutcomeUnknown)) {
    return new ApiError(
      'STORAGE_FULL',
      'The service has no room left to store this, so nothing was done. Send the request again once the operator has made ' +
        'room. For a dispatch, use the same Idempotency-Key. A charge without a job is refunded automatically.',
      { headers: { 'retry-after': '2' }, cause: error },
    );
  }
  // The operator sets the store's limit. `doctor` compares it with the service's largest append.
  if (error instanceof EventTooLarge) {
    const msg = 'is larger than the event store takes: leave out what is not needed, or send it in parts';
    return new ApiError('VALIDATION_ERROR', `The body ${msg}. Nothing stays charged.`, {
      detail: [{ loc: ['body'], msg, type: 'too_large' }],
      cause: error,
    });
  }
  if (outages.some((outage) => error instanceof outage) || isConnectionLoss(error)) {
    return new ApiError(
      'SERVICE_UNAVAILABLE',
      (error instanceof StreamContended
        ? 'Too many requests change the same thing right now.'
        : 'The service cannot reach its store right now.') +
        ' Send the request again. For a dispatch, use the same Idempotency-Key, so that it happens only once. A charge without a job is refunded automatically.',
      { headers: { 'retry-after': '2' }, cause: error },
    );
  }
  if (error instanceof UnprovenEvent) {
    return new ApiError(
      'SERVICE_UNAVAILABLE',
      'The history behind this request contains an event that this service did not write, so the service decides nothing ' +
        'by it. Nothing was charged. The service has reported it to the operator: quote the request_id to them.',
      { cause: error },
    );
  }
  const known = byStatus[statusOf(error)];
  if (known) return new ApiError(known[0], known[1], { cause: error });
  return new ApiError(
    'INTERNAL_ERROR',
    'Something went wrong on our side. Quote the request_id when you report it. ' +
      'A charge without a job is refunded automatically.',
    { cause: error },
  );
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  // Anything can be thrown; Fastify's errors have this property.
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}

const outages = [EventStoreUnavailable, AppendOutcomeUnknown, DispatchVoided, IdempotencyLeaseLost];

/** Node's and PostgreSQL's codes for an unreachable database: class 08, 53300, 57P01–57P03. */
const connectionLoss = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|08...|53300|57P0[1-3])$/;

/** The messages of `pg` for a connection that breaks or does not open in time. They have no code. */
const connectionLossWords =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // TypeORM wraps the errors of `pg`.
  if ('driverError' in error && error.driverError !== error) return isConnectionLoss(error.driverError);
  return connectionLoss.test(errorCode(error) ?? '') || connectionLossWords.test(error.message);
}

/** The one place where errors of our code, Nest and Fastify become answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(Logger) private readonly logger: Logger,
    private readonly refusals: RefusedDispatches,
    private readonly room: DiskRoom,
  ) {}

  async catch(raised: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const error = this.withAllowedMethods(translateError(raised), request);
    if (error.code === 'STORAGE_FULL') this.room.noteRefusal();
    this.log(error, request);
    await this.refusals.record(request, reply, error);
    // The client has gone, or the answer has begun: it is too late to report the error.
    if (reply.sent) return;
    // A route may have set the type of its own answer.
    const json = reply.code(error.status).headers(error.headers).type('application/json; charset=utf-8');
    void json.send(envelopeOf(error, request.id));
  }

  /** Our own faults are logged in full; an unreachable store in one line. */
  private log({ status, cause }: ApiError, { id: requestId, routeOptions }: FastifyRequest): void {
    const route = routeOptions.url;
    if (status === 503) this.logger.warn({ requestId, route, because: String(cause) }, 'answered 503');
    else if (status >= 500) this.logger.error({ requestId, route, err: cause }, 'answered 500');
  }

  /**
   * Fastify answers 404 for a method that a path does not have. The right status helps a caller who mistyped
   * it.
   */
  private withAllowedMethods(error: ApiError, request: FastifyRequest): ApiError {
    if (error.status !== 404 || request.routeOptions.url !== undefined) return error;
    const allowed = allowedMethods(request.server, request.url);
    // On a path for files, the method is right and the file is missing.
    if (allowed.length === 0 || allowed.includes(request.method)) return error;
    return new ApiError('METHOD_NOT_ALLOWED', `This path answers to ${allowed.join(', ')} only.`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

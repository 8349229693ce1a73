import {
  AccessDeniedError,
  DeadlineExceededError,
  InvalidArgumentError,
  NotLeaderError,
} from '@eventstore/db-client';
import { messageOf } from '#platform/errors.js';
import { isMistake, NoAnswer, NotConnected, type Failure } from '../calls.js';

/** gRPC status codes, see https://grpc.io/docs/guides/status-codes/. */
const status = {
  invalidArgument: 3,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
};

/**
 * The messages of grpc-js for a call that never got a connection, and the messages of servers that have not
 * handled the call.
 */
const notSent =
  /No connection established|Name resolution failed|Channel closed before call started|ECONNREFUSED|Failed to discover|not ready|too busy|no leader info/i;

export function classifyGrpcFailure(error: unknown): Failure {
  if (isMistake(error) || error instanceof AccessDeniedError || isInvalidArgument(error)) return 'refused';
  // The server refused the call and named the leader. The client sends the next call there.
  if (error instanceof NotLeaderError || error instanceof NotConnected) return 'not-done';
  if (isSilence(error)) return 'unknown';
  // The very first call fails with a raw gRPC error and not with one of the client's classes. Only the text
  // is the same.
  if (notSent.test(messageOf(error))) return 'not-done';
  const code = codeOf(error);
  const { permissionDenied, unimplemented, unauthenticated } = status;
  const hopeless = [permissionDenied, unimplemented, unauthenticated];
  return code !== undefined && hopeless.includes(code) ? 'refused' : 'unknown';
}

/** No answer came in time: the connection may be dead without either side having noticed. */
export function isSilence(error: unknown): boolean {
  return error instanceof NoAnswer || error instanceof DeadlineExceededError;
}

/** The client has a class for this, but does not always use it. */
export function isInvalidArgument(error: unknown): boolean {
  return error instanceof InvalidArgumentError || codeOf(error) === status.invalidArgument;
}

function codeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/**
 * Chooses the failure that says more. An attempt that the deadline cut short says less than the one before
 * it.
 */
export function moreTelling(before: unknown, last: unknown): unknown {
  return before !== undefined && isSilence(last) ? before : last;
}

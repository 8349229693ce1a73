import {
  AccessDeniedError,
  DeadlineExceededError,
  InvalidArgumentError,
  NotLeaderError,
} from '@eventstore/db-client';
import { EventStoreError, EventStoreUnavailable } from '../event-store.js';

/** No answer within the time that one call is given. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** There was no connection to send anything on. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/**
 * What a failed call means for what it was to do:
 * - `not-done`: it did not reach the server, or the server said that it did nothing; it may do it in a moment;
 * - `unknown`: the call was under way when the connection broke or fell silent, so the server may have done it;
 * - `refused`: the server will never do it.
 */
export type Failure = 'not-done' | 'unknown' | 'refused';

/** gRPC status codes, see https://grpc.io/docs/guides/status-codes/. */
const status = {
  invalidArgument: 3,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
};

/** What grpc-js says when a call never got as far as a connection, and the server when it has not looked at it yet. */
const notSent =
  /No connection established|Name resolution failed|Channel closed before call started|ECONNREFUSED|Failed to discover|not ready|too busy|no leader info/i;

export function classify(error: unknown): Failure {
  if (isMistake(error) || error instanceof AccessDeniedError || error instanceof InvalidArgumentError)
    return 'refused';
  // The call was turned away with the address of the leader, where the client then goes.
  if (error instanceof NotLeaderError || error instanceof NotConnected) return 'not-done';
  if (isSilence(error)) return 'unknown';
  // The very first call fails with a raw gRPC error instead of one of the client's classes: only the words are the same.
  if (notSent.test(messageOf(error))) return 'not-done';
  const code = codeOf(error);
  const { invalidArgument, permissionDenied, unimplemented, unauthenticated } = status;
  const hopeless = [invalidArgument, permissionDenied, unimplemented, unauthenticated];
  return code !== undefined && hopeless.includes(code) ? 'refused' : 'unknown';
}

/** Nothing came back in time: the connection may be dead without either side having noticed. */
export function isSilence(error: unknown): boolean {
  return error instanceof NoAnswer || error instanceof DeadlineExceededError;
}

function codeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** Our own or the caller's: no server had a part in it. */
function isMistake(error: unknown): error is Error {
  return [EventStoreError, TypeError, RangeError, SyntaxError].some((mistake) => error instanceof mistake);
}

/** Which of two failures says more: a try that the deadline cut short says less than the one before it. */
export function moreTelling(before: unknown, last: unknown): unknown {
  return before !== undefined && isSilence(last) ? before : last;
}

/** What the caller gets to see. Mistakes are passed on as they are. */
export function unavailable(cause: unknown): Error {
  if (isMistake(cause)) return cause;
  return new EventStoreUnavailable(`The event store did not answer: ${messageOf(cause)}`, { cause });
}

/** Leaves the work to itself when the time is up: its answer is of no more use. @throws NoAnswer */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** 25 ms, doubling up to about a second, with jitter so that many clients do not come back in step. */
export function backoffMs(attempt: number): number {
  return Math.min(1000, 25 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2);
}

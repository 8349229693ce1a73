import { messageOf } from '#platform/errors.js';
import { inTime, retry } from '#platform/retry.js';
import {
  AppendOutcomeUnknown,
  EventStoreError,
  EventStoreRefused,
  EventStoreUnavailable,
  NotThisLog,
} from './event-store.js';
import type { EventStoreObserver } from './observer.js';

// Both adapters use this for calls that fail, get no answer, or are cancelled.

/**
 * The effect of a failed call:
 * - `not-done`: the call did not reach the server, or the server said that it did nothing. A retry may
 *   succeed.
 * - `unknown`: the connection broke or fell silent during the call, so the server may have done it.
 * - `refused`: the server will never do it.
 */
export type Failure = 'not-done' | 'unknown' | 'refused';

/** No answer within the time that one call is given. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** There was no connection to send anything on. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** The mistake is ours or the caller's; no server was involved. */
export function isMistake(error: unknown): error is Error {
  return [EventStoreError, TypeError, RangeError, SyntaxError].some((mistake) => error instanceof mistake);
}

/** The error that a caller gets for a failed call. Mistakes are passed on unchanged. */
export function unavailable(cause: unknown, failure: Failure, hint = ''): Error {
  if (isMistake(cause)) return cause;
  if (failure === 'refused')
    return new EventStoreRefused(`The event store refused this: ${messageOf(cause)}${hint}`, { cause });
  return new EventStoreUnavailable(`The event store did not answer: ${messageOf(cause)}${hint}`, { cause });
}

/** The error that a caller gets when an append reaches its deadline. */
export function gaveUp(stream: string, mayHaveHappened: boolean, cause: unknown): Error {
  const last = messageOf(cause);
  return mayHaveHappened
    ? new AppendOutcomeUnknown(`It is not known whether the append to ${stream} happened: ${last}`, { cause })
    : new EventStoreUnavailable(`Nothing was appended to ${stream}: ${last}`, { cause });
}

/** Pauses between the attempts of one call: a store that restarts is back within moments. */
export const pauses = { firstPauseMs: 25, longestPauseMs: 1_000 };

export interface ReadRetries {
  /** How long the read is tried in all. */
  readonly deadlineMs: number;
  readonly observer?: EventStoreObserver | undefined;
  readonly mayPass: (error: unknown) => boolean;
}

/**
 * Runs a read, and runs it again after a passing failure until the deadline. Each attempt gets its time limit.
 */
export function retryRead<T>(
  read: (leftMs: number) => Promise<T>,
  { deadlineMs, observer = {}, mayPass }: ReadRetries,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  return retry(() => read(Math.max(1, deadline - Date.now())), {
    ...pauses,
    withinMs: deadlineMs,
    mayPass,
    onFailure: (error) => observer.retried?.('read', messageOf(error)),
  });
}

/** Like {@link inTime}. @throws NoAnswer */
export function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return inTime(
    () => work,
    timeoutMs,
    () => new NoAnswer(`no answer within ${timeoutMs} ms`),
  );
}

/** Stops waiting for the work when the signal fires, because the caller no longer needs the answer. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const maxPage = 4096;
export const lastRevision = 2n ** 63n - 1n;
export const defaultBatchSize = 1000;
export const defaultPatienceMs = () => 5;

/** @throws RangeError for what is no number of events */
export function pageSize(limit: number = maxPage): number {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`A page has 1 event or more, not ${limit}`);
  return Math.min(limit, maxPage);
}

/** @throws NotThisLog */
export function refuseBeyondEnd(checkpoint: bigint, end: bigint): void {
  if (checkpoint > end)
    throw new NotThisLog(
      `The checkpoint ${checkpoint} lies beyond the end of the log (${end}): this is not the log that it was made from`,
    );
}

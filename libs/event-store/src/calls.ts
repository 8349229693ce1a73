import { messageOf } from '#platform/errors.js';
import { sqlState } from '#platform/postgres.js';
import { inTime, pause, retry, retryUntilAborted } from '#platform/retry.js';
import type { EventMacs } from './authentic/event-macs.js';
import {
  AppendOutcomeUnknown,
  EventStoreError,
  EventStoreRefused,
  EventStoreUnavailable,
  NotThisLog,
} from './event-store.js';
import type { EventStoreObserver } from './observer.js';

// Both adapters use this for calls that fail, get no answer, or are cancelled.

export interface AdapterOptions {
  /** How long one call is retried in all before it throws. Default 10,000 ms. */
  readonly deadlineMs?: number;
  /** How long one answer may take before the connection counts as lost. Default 5,000 ms. */
  readonly answerTimeoutMs?: number;
  readonly observer?: EventStoreObserver;
  /** Adds proof of the writer to each appended event. `markingUnproven` checks the events that are read. */
  readonly macs?: EventMacs | undefined;
}

/**
 * The effect of a failed call:
 * - `not-done`: the call did not reach the server, or the server said that it did nothing. A retry may
 *   succeed.
 * - `unknown`: the connection broke or fell silent during the call, so the server may have done it.
 * - `refused`: the server will never do it.
 */
export type Failure = 'not-done' | 'unknown' | 'refused';

/** The limits of calls, and who hears of their retries. */
export type CallLimits = Required<Omit<AdapterOptions, 'macs'>>;

/** How an adapter understands the errors of its client. */
export type Classify = (error: unknown) => Failure;

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
export function unavailable(cause: unknown, failure: Failure): Error {
  if (isMistake(cause)) return cause;
  const hint = ['42P01', '3F000'].includes(sqlState(cause) ?? '') ? ' (was it migrated?)' : '';
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

/** Whether another attempt may succeed. */
export const mayPass = (classify: Classify) => (error: unknown) => classify(error) !== 'refused';

/**
 * Runs a read, and runs it again after a passing failure until the deadline. Each attempt gets its time limit.
 * @throws EventStoreUnavailable
 */
export async function retryRead<T>(
  read: (timeoutMs: number) => Promise<T>,
  classify: Classify,
  limits: CallLimits,
): Promise<T> {
  const { deadlineMs, observer } = limits;
  const deadline = Date.now() + deadlineMs;
  try {
    return await retry(() => read(timeLeft(limits, deadline)), {
      ...pauses,
      withinMs: deadlineMs,
      mayPass: mayPass(classify),
      onFailure: (error) => observer.retried?.('read', messageOf(error)),
    });
  } catch (error) {
    throw unavailable(error, classify(error));
  }
}

/**
 * Runs a part of a subscription, and runs it again after each passing failure, because only the consumer decides
 * when to give up. Resolves to undefined when the signal fires.
 * @throws EventStoreUnavailable
 */
export async function retryForConsumer<T>(
  work: () => Promise<T | undefined>,
  classify: Classify,
  options: { readonly signal: AbortSignal; readonly onFailure: (error: unknown) => void },
): Promise<T | undefined> {
  try {
    return await retryUntilAborted(work, { ...pauses, ...options, mayPass: mayPass(classify) });
  } catch (error) {
    throw unavailable(error, classify(error));
  }
}

/** How long the next answer may take. */
export function timeLeft({ answerTimeoutMs }: CallLimits, deadline: number): number {
  return Math.max(1, Math.min(answerTimeoutMs, deadline - Date.now()));
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

/** Wakes those who wait for something. */
export class Wakeup {
  private readonly waiting = new Set<() => void>();

  wake(): void {
    for (const wake of new Set(this.waiting)) wake();
  }

  /** Resolves with true when it is woken or the signal fires, or with false after the time limit. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (woken: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve(woken);
      };
      const wake = () => done(true);
      const timer = setTimeout(() => done(false), timeoutMs);
      this.waiting.add(wake);
      signal?.addEventListener('abort', wake);
      if (signal?.aborted) wake();
    });
  }
}

const maxPage = 4096;
export const lastRevision = 2n ** 63n - 1n;
export const defaultBatchSize = 1000;
export const defaultPatienceMs = () => 5;

/** How often a subscription that lets events gather asks again how patient it is. */
export const askAgainMs = 5;

/** Waits until the events of a batch may be taken: the patience counts from the batch before. */
export async function letGather(
  sinceMs: number,
  patienceMs: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const leftMs = patienceMs() - (performance.now() - sinceMs);
    if (leftMs <= 0 || signal.aborted) return;
    await pause(Math.min(leftMs, askAgainMs), signal);
  }
}

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

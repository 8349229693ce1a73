import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';

export interface RetryOptions {
  /** Ends the retries, also during a pause: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The approximate length of the first pause; each later one is twice as long. Default 250. */
  readonly firstPauseMs?: number;
  /** Default 5,000. */
  readonly longestPauseMs?: number;
  /** The most attempts. Default: no limit. */
  readonly attempts?: number;
  /** No attempt begins later than this after the first one began. Default: no limit. */
  readonly withinMs?: number;
  /**
   * If an attempt ran for this long before it failed, it ends a series of failures: the next attempt starts at
   * once.
   */
  readonly healthyAfterMs?: number;
  /** Whether another attempt may succeed. Default: it may. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Called for each failure that is followed by another attempt. */
  readonly onFailure?: (error: unknown, pauseMs: number) => void;
}

/**
 * Runs the work, and runs it again after a failure. The pauses grow and vary, so that many processes do not
 * retry at the same moment. The work gets the number of its attempt, which starts at 1.
 * @throws the last failure, or the signal's reason
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  for (;;) {
    try {
      return await retrySeries(work, options);
    } catch (error) {
      if (!(error instanceof FailedAttempt)) throw error;
      if (!error.mayPass || !error.endsSeries) throw error.reason;
    }
  }
}

/** Like {@link retry}, for work that the signal may end at any moment. It then returns undefined. */
export async function retryUntilAborted<T>(
  work: (attempt: number) => Promise<T>,
  options: RetryOptions & { readonly signal: AbortSignal },
): Promise<T | undefined> {
  try {
    return await retry(work, options);
  } catch (error) {
    if (options.signal.aborted) return undefined;
    throw error;
  }
}

/** Resolves to false when the signal cut it short. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, signal && { signal }).catch(() => false);
}

/** Wraps each failure, because the library does not retry a bare TypeError, and accepts only an Error. */
class FailedAttempt extends Error {
  constructor(
    readonly reason: unknown,
    readonly mayPass: boolean,
    readonly endsSeries: boolean,
  ) {
    super('the attempt failed', { cause: reason });
  }
}

function retrySeries<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, attempts = Infinity, withinMs, healthyAfterMs = Infinity, mayPass, onFailure } = options;
  const lastStartAt = performance.now() + (withinMs ?? Infinity);
  const attempt = async (number: number): Promise<T> => {
    const startedAt = performance.now();
    try {
      return await work(number);
    } catch (error) {
      const endsSeries = performance.now() - startedAt > healthyAfterMs;
      throw new FailedAttempt(error, mayPass?.(error) ?? true, endsSeries);
    }
  };
  return pRetry(attempt, {
    retries: attempts - 1,
    minTimeout: options.firstPauseMs ?? 250,
    maxTimeout: options.longestPauseMs ?? 5_000,
    randomize: true,
    ...(signal && { signal }),
    shouldRetry: ({ error, retryDelay }) => {
      // `attempt` throws nothing else.
      const failed = error as FailedAttempt;
      const pauseMs = failed.endsSeries ? 0 : retryDelay;
      if (!failed.mayPass || performance.now() + pauseMs >= lastStartAt) return false;
      onFailure?.(failed.reason, pauseMs);
      return !failed.endsSeries;
    },
  });
}

/**
 * Stops waiting for the work when its time is up. A process that was busy or paused for long runs its timers
 * before it reads its sockets. An answer that has already arrived must still count. So the time ends one turn
 * of the event loop after the timer.
 * @throws the error of `late`
 */
export async function inTime<T>(work: () => Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => reject(late())), timeoutMs);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

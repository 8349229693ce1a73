import { setImmediate } from 'node:timers/promises';

/**
 * Settles with the work, or rejects with the signal's reason as soon as it is aborted. A drawing inside libvips cannot be
 * stopped: it runs to its end, unheard, after the caller is free.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    // A signal's reason has no type; our callers abort with an Error.
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
    // The work may still fail after an abort was reported; that failure has no listener left.
    work.catch(() => undefined);
  }
}

/** Lets timers and the abort signal's owner run between two heavy steps, then stops if the caller has aborted. */
export async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

import { setImmediate } from 'node:timers/promises';

/**
 * Settles with the work, or rejects with the signal's reason as soon as it is aborted. A drawing inside libvips
 * cannot be stopped: it runs to its end and its result is ignored, but the caller does not wait.
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
    // The work may still fail after the abort. This handler prevents an unhandled rejection, because nothing
    // else listens any more.
    work.catch(() => undefined);
  }
}

/**
 * Lets timers and the owner of the abort signal run between two heavy steps, then throws if the caller has
 * aborted.
 */
export async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

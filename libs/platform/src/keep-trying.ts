import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/**
 * Repeats `work` until it succeeds, with growing pauses: for what has to wait until a server is there.
 * @throws the signal's reason when it is aborted meanwhile
 */
export async function keepTrying<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown, pauseMs: number) => void,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      onFailure(error, pauseMs);
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

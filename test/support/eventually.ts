import { setTimeout as sleep } from 'node:timers/promises';

/** Generous, because only a failure uses all of it: a busy machine may need a multiple of the usual time. */
const patienceMs = 180_000;

/**
 * Repeats a check until it neither throws nor returns false.
 * @returns the result of the check
 * @throws the last error, if the check has failed for the whole time
 */
export async function eventually<T>(
  look: () => Promise<T> | T,
  withinMs = patienceMs,
): Promise<Exclude<T, false>> {
  for (const deadline = Date.now() + withinMs; ; await sleep(20)) {
    const isLast = Date.now() > deadline;
    try {
      const seen = await look();
      if (seen !== false) return seen as Exclude<T, false>;
    } catch (error) {
      if (isLast) throw error;
    }
    if (isLast) throw new Error(`It did not happen within ${withinMs} ms: ${String(look)}`);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Generous, because it is only used up when something is broken: a busy machine may need a multiple of the usual. */
const patienceMs = 60_000;

/**
 * Repeats a look until it neither throws nor answers false.
 * @returns what it answered @throws what it threw at last, when it did so for the whole time
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

import type { Logger } from '#platform/logger.js';
import { messageOf } from '#platform/errors.js';
import { inTime, retry } from '#platform/retry.js';

/** Longer than any attempt takes that will still come to something. */
const attemptMs = 20_000;

/**
 * Repeats work without which the app cannot start, until the database of DATABASE_URL answers or the process is
 * asked to stop. An attempt that hangs is given up, because a server that accepts connections and sends nothing
 * looks like a slow one.
 */
export function untilReached<T>(
  work: () => Promise<T>,
  { databaseUrl }: { readonly databaseUrl: string },
  logger: Logger,
  stopping: AbortSignal,
): Promise<T> {
  const late = () => new Error(`there is no answer within ${attemptMs} ms`);
  return retry(() => inTime(work, attemptMs, late), {
    signal: stopping,
    onFailure: (error, retryMs) => {
      const place = { setting: 'DATABASE_URL', host: hostOf(databaseUrl) };
      logger.error({ ...place, because: messageOf(error), retryMs }, 'the database cannot be reached');
    },
  });
}

/** Host and port, and nothing that may be secret. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'unreadable in the setting';
}

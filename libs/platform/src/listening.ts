import pg from 'pg';
import { retryUntilAborted } from './retry.js';

export interface Listening {
  readonly config: pg.ClientConfig;
  readonly channel: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  hear(payload: string): void;
  /** Called with true at each connection, and with false at each loss. Announcements in between are missed. */
  onChange(listening: boolean): void;
}

const pauses = { firstPauseMs: 25, longestPauseMs: 1_000 };

/**
 * Listens on a channel of PostgreSQL, on its own connection. If the connection is lost, it opens a new one.
 * Resolves when the signal has fired and the connection is closed.
 */
export async function listenTo(listening: Listening): Promise<void> {
  const { signal } = listening;
  await retryUntilAborted(() => listenUntilLost(listening), {
    ...pauses,
    signal,
    healthyAfterMs: pauses.longestPauseMs,
  });
}

async function listenUntilLost({ config, channel, signal, hear, onChange }: Listening): Promise<void> {
  const client = new pg.Client(config);
  const { promise: lost, resolve: leave } = Promise.withResolvers<void>();
  // The listeners stay until the end, because a server that stops while we disconnect raises an error too.
  client.on('error', () => leave());
  client.on('end', () => leave());
  client.on('notification', ({ payload = '' }) => hear(payload));
  const onAbort = () => leave();
  signal.addEventListener('abort', onAbort);
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onChange(true);
    if (!signal.aborted) await lost;
  } finally {
    onChange(false);
    signal.removeEventListener('abort', onAbort);
    await client.end().catch(() => undefined);
  }
  throw new Error('the connection was lost');
}

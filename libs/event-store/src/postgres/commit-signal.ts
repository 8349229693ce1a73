import type pg from 'pg';
import { listenTo } from '#platform/listening.js';
import { Wakeup } from '../calls.js';
import type { EventStoreObserver } from '../observer.js';
import { commitChannel } from './schema.js';

const pollMs = { listening: 5_000, deaf: 200 };

/**
 * Wakes the subscriptions of this process when the log grows. One connection listens for all of them; it exists
 * only while there is a subscription. Two modes:
 * - listening: notifications arrive within a millisecond. A poll every five seconds finds what a lost one
 *   announced.
 * - deaf: there is no connection, at the start or after a loss. Polls come every 200 ms, and the connection is
 *   tried again with backoff. When it is back, all subscriptions wake up, because they may have missed
 *   notifications.
 */
export class CommitSignal {
  private readonly growth = new Wakeup();
  private subscribers = 0;
  private stopListening: AbortController | undefined;
  private ended: Promise<void> | undefined;
  private listening = false;
  private head = 0n;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly observer: EventStoreObserver,
  ) {}

  /** The log is known to reach at least this position. */
  announce(head: bigint): void {
    if (head <= this.head) return;
    this.head = head;
    this.growth.wake();
  }

  /** Keeps the listening connection up until the returned function is called. */
  register(): () => void {
    this.subscribers += 1;
    if (this.stopListening === undefined) {
      this.stopListening = new AbortController();
      this.ended = this.listen(this.stopListening.signal);
    }
    return () => {
      this.subscribers -= 1;
      if (this.subscribers === 0) this.stop();
    };
  }

  /** Resolves when the connection is closed. */
  async close(): Promise<void> {
    this.stop();
    await this.ended;
  }

  private stop(): void {
    this.stopListening?.abort();
    this.stopListening = undefined;
  }

  /** Resolves when the log may have grown beyond the position, or when the signal fires. */
  async beyond(position: bigint, signal: AbortSignal): Promise<void> {
    if (this.head > position || signal.aborted) return;
    await this.growth.wait(this.listening ? pollMs.listening : pollMs.deaf, signal);
  }

  private listen(signal: AbortSignal): Promise<void> {
    const { config } = this;
    let wasConnected = false;
    const onChange = (listening: boolean) => {
      this.listening = listening;
      if (listening && wasConnected) this.observer.reconnected?.();
      wasConnected ||= listening;
      // Polls continue without the connection. If the store stays away, the reads report it.
      this.growth.wake();
    };
    const hear = (payload: string) => {
      if (/^\d+$/.test(payload)) this.announce(BigInt(payload));
    };
    return listenTo({ config, channel: commitChannel, signal, hear, onChange });
  }
}

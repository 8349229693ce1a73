import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreUnavailable } from '../event-store.js';
import { Client } from './client.js';
import type { ConnectionSettings } from './connection-string.js';
import { backoffMs, classify, isSilence, messageOf, moreTelling, unavailable } from './failures.js';
import type { EventStoreObserver } from '../observer.js';

export interface ConnectionOptions {
  readonly settings: ConnectionSettings;
  /** How long one call is tried in all. */
  readonly deadlineMs: number;
  /** How long an answer may take before the connection counts as lost. */
  readonly answerTimeoutMs: number;
  readonly observer: EventStoreObserver;
}

/**
 * The client that calls go through, and its replacement. A connection that breaks is noticed and renewed by the client
 * itself. One that falls silent is not: the first call without an answer puts a new client in its place.
 */
export class Connection {
  private client: Client;
  private closed = false;

  constructor(readonly options: ConnectionOptions) {
    this.client = this.open();
  }

  /** Runs one call, which has to see to its own time limit. */
  async call<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.refuseWhenClosed();
    const { client } = this;
    try {
      return await work(client);
    } catch (error) {
      if (isSilence(error)) this.replace(client);
      throw error;
    }
  }

  /** Runs a read, and runs it again after a passing failure until the deadline. @throws EventStoreUnavailable */
  async read<T>(work: (client: Client, timeoutMs: number) => Promise<T>): Promise<T> {
    const { deadlineMs, answerTimeoutMs, observer } = this.options;
    const deadline = Date.now() + deadlineMs;
    let failure: unknown;
    for (let attempt = 0; ; attempt++) {
      const timeoutMs = Math.max(1, Math.min(answerTimeoutMs, deadline - Date.now()));
      try {
        return await this.call((client) => work(client, timeoutMs));
      } catch (error) {
        const pause = backoffMs(attempt);
        failure = moreTelling(failure, error);
        if (classify(error) === 'refused' || Date.now() + pause >= deadline) throw unavailable(failure);
        observer.retried?.('read', messageOf(error));
        await sleep(pause);
      }
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client.close();
  }

  refuseWhenClosed(): void {
    if (this.closed) throw new EventStoreUnavailable('The event store was closed');
  }

  private replace(client: Client): void {
    if (client !== this.client || this.closed) return;
    client.retire();
    this.client = this.open();
    this.options.observer.reconnected?.();
  }

  private open(): Client {
    return new Client(this.options.settings, () => this.options.observer.reconnected?.());
  }
}

import { AccountWriter } from '#application/account/account-writer.js';
import type { CommandContext } from '#application/command-context.js';
import type { OpenedAccount } from '#domain/account/account.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { openEventStore, type OpenedEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { CliError } from './cli-error.js';
import { findConnections, type Connections } from './connections.js';

/** How long a write waits for the read models. They usually need some ten milliseconds. */
const catchUpMs = 5_000;

/** The write side as the operator's verbs use it. Dispose of it, or the process does not end. */
export class Operator implements AsyncDisposable {
  readonly #opened: OpenedEventStore;
  readonly accounts: AccountWriter;

  private constructor(readonly connections: Connections) {
    this.#opened = openEventStore(connections, { maxConnections: 2 });
    this.accounts = new AccountWriter(this.#opened.store, this.#opened.snapshots);
  }

  get store(): EventStore {
    return this.#opened.store;
  }

  static connect(): Operator {
    return new Operator(findConnections());
  }

  /** A new command of the operator's. */
  context(environment: Environment, tenant: string): CommandContext {
    const requestId = newId();
    return { environment, tenant, commandId: requestId, requestId, actor: 'operator', at: systemClock() };
  }

  /** @throws CliError when the tenant has no account in the environment */
  async account(environment: Environment, tenant: string): Promise<OpenedAccount> {
    const { state } = await this.accounts.read(environment, tenant);
    if (state.status !== 'unopened') return state;
    throw new CliError(
      `there is no tenant ${tenant} in ${environment}: "atelier tenants create" makes one and prints its id`,
    );
  }

  /**
   * Waits until the read models have seen what was just written, so that the next call or `list` shows it. Says so on
   * standard error when they do not come along: the write itself is done all the same.
   */
  async caughtUp(environment: Environment, readModel: string, position: bigint | undefined): Promise<void> {
    if (position === undefined) return;
    const { CheckpointWatcher } = await import('#read-store/checkpoint-watcher.js');
    const log = createLogger('cli', 'silent');
    const watcher = new CheckpointWatcher({ url: this.connections.databaseUrl, log });
    try {
      await watcher.start();
      if (await watcher.waitFor(environment, readModel, position, catchUpMs)) return;
      process.stderr.write('atelier: done, but the read models are behind: is the projector running?\n');
    } finally {
      await watcher.stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.close();
  }
}

import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms, grantCredits, openTenantAccount } from '#application/account/tenants.js';
import type { CommandContext } from '#application/command-context.js';
import { issueApiKey, revokeApiKey } from '#application/key/api-keys.js';
import { categoryPrefix, environments } from '#domain/streams.js';
import { openEventStore, type EventStoreUrls, type OpenedEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';

const environment = 'test';
const actor = 'operator';

/** What the standalone service does with tenants on its own account: a demo tenant in the test environment. */
export class Tenancy implements AsyncDisposable {
  readonly #opened: OpenedEventStore;
  readonly #accounts: AccountWriter;

  constructor(urls: EventStoreUrls) {
    this.#opened = openEventStore(urls, { maxConnections: 2 });
    this.#accounts = new AccountWriter(this.#opened.store, this.#opened.snapshots);
  }

  /** True while no account was ever opened on this log. Presets may be on it: they come with the installation. */
  async isUntouched(): Promise<boolean> {
    const streamPrefixes = environments.map((each) => categoryPrefix(each, 'account'));
    const first = await this.#opened.store.readAll({ limit: 1, filter: { streamPrefixes } });
    return first.length === 0;
  }

  /** Makes sure that the tenant exists, and has `credits` when it has less than `least`. Repeatable. */
  async provide(tenant: string, name: string, credits: number, least = credits): Promise<void> {
    await openTenantAccount(this.#accounts, this.#context(tenant), { name, terms: defaultTerms });
    const { state } = await this.#accounts.read(environment, tenant);
    const balance = state.status === 'unopened' ? 0 : state.balance;
    if (balance >= least) return;
    const purchase = { amount: credits - balance, kind: 'pack', label: 'Demo credits' } as const;
    await grantCredits(this.#accounts, this.#context(tenant), purchase);
  }

  async issueKey(tenant: string, label: string): Promise<{ keyId: string; key: string }> {
    const capabilities = ['jobs:create', 'jobs:read'] as const;
    return issueApiKey(this.#opened.store, this.#context(tenant), { capabilities, label });
  }

  async revokeKey(tenant: string, keyId: string, reason: string): Promise<void> {
    await revokeApiKey(this.#opened.store, this.#context(tenant), keyId, reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.close();
  }

  #context(tenant: string): CommandContext {
    const requestId = newId();
    return { environment, tenant, commandId: requestId, requestId, actor, at: systemClock() };
  }
}

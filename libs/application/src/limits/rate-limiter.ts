import { entriesUpTo } from '#platform/cache-size.js';
import type { Caller } from '../command-context.js';
import { verdictOf, type RateVerdict, MemoryRateLimitStore, RateLimitStore } from './rate-limit-store.js';
import { Inject, Injectable } from '@nestjs/common';
import { initialAccount } from '#domain/account/account.js';
import { StorePresence } from '#event-store/store-presence.js';
import { AccountWriter } from '../account/account-writer.js';
import { defaultTerms } from '../account/manage-accounts.handler.js';
import { type Announcement, type Listener } from '../announcements.js';
import { Logger } from '#platform/logger.js';
import { LRUCache } from 'lru-cache';

const unopened = { state: initialAccount };

/**
 * Each account's limit, remembered until any process changes its plan; for a minute at most if this process is
 * cut off from the store. While the store is away, the last limit that this process saw counts. An account that
 * does not exist has the limit of a new one.
 */
@Injectable()
export class AccountRates implements Listener {
  readonly category = 'account';
  readonly types = ['AccountOpened', 'PlanChanged'] as const;
  private readonly rates = new LRUCache<string, number, Caller>({
    ...entriesUpTo(10_000),
    ttl: 60_000,
    // A rate that is set while it is read stays. The read may be older, so its result is returned once.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _old, { context: { environment, tenant } }) => {
      const read = await this.presence.soon(() => this.accounts.read(environment, tenant));
      const { state } = read?.value ?? this.accounts.lastSeen(environment, tenant) ?? unopened;
      return state.status === 'unopened' ? defaultTerms.rateLimitPerMin : state.terms.rateLimitPerMin;
    },
  });

  constructor(
    @Inject(AccountWriter) private readonly accounts: Pick<AccountWriter, 'read' | 'lastSeen'>,
    private readonly presence: StorePresence,
  ) {}

  perMinute(caller: Caller): Promise<number> {
    return this.rates.forceFetch(`${caller.environment}.${caller.tenant}`, { context: caller });
  }

  hear({ environment, id, event }: Announcement): void {
    // Set and not forgotten: a forgotten rate would be missing while the store is away.
    if ('rateLimitPerMin' in event.data) this.rates.set(`${environment}.${id}`, event.data.rateLimitPerMin);
  }
}

/**
 * Counts the requests of each credential against its account's `rate_limit_per_min`. If a shared store does not
 * answer, the service goes on, and this process counts by itself.
 */
@Injectable()
export class RateLimiter {
  private readonly meanwhile = new MemoryRateLimitStore();

  constructor(
    private readonly store: RateLimitStore,
    private readonly rates: AccountRates,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** Counts one request of the caller. @throws EventStoreUnavailable when the terms cannot be read */
  async count(caller: Caller): Promise<RateVerdict> {
    const limit = Math.max(1, await this.rates.perMinute(caller));
    const counted = await this.store.count(caller.keyId, limit).catch((err: unknown) => {
      this.logger.warn({ err }, 'the rate limit is counted by this process alone right now');
      return this.meanwhile.count(caller.keyId, limit);
    });
    return verdictOf(counted, limit);
  }
}

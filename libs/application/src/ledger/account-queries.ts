import { Injectable } from '@nestjs/common';
import { spendResetsAt, spentToday } from '#domain/account/account.js';
import { EventStoreUnavailable } from '#event-store/event-store.js';
import { StorePresence } from '#event-store/store-presence.js';
import { AccountWriter } from '../account/account-writer.js';
import type { Caller } from '../command-context.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import {
  type LedgerEntryView,
  type Page,
  type PageRequest,
  ReadModels,
  type UsageView,
} from '../read-models.js';

export interface CreditsView {
  readonly tenant: string;
  /** All amounts in credits. */
  readonly balance: number;
  readonly plan: string;
  readonly dailySpendToday: number;
  /** ISO 8601; null when nothing was spent today. */
  readonly dailySpendResetsAt: string | null;
  readonly dailySpendCapCredits: number;
  readonly monthlyCreditQuota: number;
  readonly rateLimitPerMin: number;
  readonly isActive: boolean;
}

/** A caller's view of its account: balance, transactions, usage. */
@Injectable()
export class AccountQueries {
  constructor(
    private readonly accounts: AccountWriter,
    private readonly presence: StorePresence,
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  /**
   * Reads the aggregate itself, so it never lags. While the event store is away, it returns the last known
   * state.
   * @throws EventStoreUnavailable while the store is away, for an account that this process never saw
   */
  async credits(caller: Caller, at: Date): Promise<CreditsView> {
    const { environment, tenant } = caller;
    const read = await this.presence.soon(() => this.accounts.read(environment, tenant));
    const { state, position } = read?.value ?? this.accounts.lastSeen(environment, tenant) ?? notKnown();
    if (state.status === 'unopened') return nothing(tenant);
    // The balance should equal the sum of the transactions. A ledger at least as far as this process therefore
    // counts.
    const isLedgerNewer = !read && (await this.consistency.waitFor(caller, 'ledger', position, 0));
    const { plan, dailySpendCapCredits, monthlyCreditQuota, rateLimitPerMin } = state.terms;
    return {
      tenant,
      balance: isLedgerNewer ? await this.reads.of(environment).ledger.balance(tenant) : state.balance,
      plan,
      dailySpendToday: spentToday(state, at.toISOString()),
      dailySpendResetsAt: spendResetsAt(state, at.toISOString()),
      dailySpendCapCredits,
      monthlyCreditQuota,
      rateLimitPerMin,
      isActive: state.status === 'active',
    };
  }

  /**
   * Waits for the account's own last event, from any process. The ledger then sums to the balance of
   * `GET /v1/credits`, which comes from the same stream.
   */
  async transactions(caller: Caller, page: PageRequest): Promise<Fresh<Page<LedgerEntryView>>> {
    const { environment, tenant } = caller;
    const head = await this.presence.soon(() => this.accounts.read(environment, tenant));
    const reached = head && (await this.consistency.waitFor(caller, 'ledger', head.value.position));
    return { value: await this.reads.of(environment).ledger.list(tenant, page), stale: !reached };
  }

  /** Waits for the account's last event and for the caller's last write, so that it agrees with the ledger. */
  async usage(caller: Caller, page: PageRequest, token?: bigint): Promise<Fresh<Page<UsageView>>> {
    const { environment, tenant } = caller;
    const head = await this.presence.soon(() => this.accounts.read(environment, tenant));
    const required = this.consistency.required(caller, token);
    const position = head?.value.position;
    const target = required === undefined || (position ?? -1n) > required ? position : required;
    const reached = head && (await this.consistency.waitFor(caller, 'usage', target));
    return { value: await this.reads.of(environment).usage.list(tenant, page), stale: !reached };
  }
}

function notKnown(): never {
  throw new EventStoreUnavailable(
    'The event store does not answer, and this process has not seen the account',
  );
}

/** A key can exist before its account does. */
function nothing(tenant: string): CreditsView {
  return {
    tenant,
    balance: 0,
    plan: '',
    dailySpendToday: 0,
    dailySpendResetsAt: null,
    dailySpendCapCredits: 0,
    monthlyCreditQuota: 0,
    rateLimitPerMin: 0,
    isActive: false,
  };
}

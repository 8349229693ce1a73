import type { RecordedEvent } from '#event-store/event-store.js';
import { short, type Report, type StoredData } from './stored-data.js';

export interface Charge {
  readonly chargeId: string;
  readonly tenant: string;
  readonly requestId: string;
  readonly jobId: string;
  readonly parentJobId: string | undefined;
  readonly amount: number;
  readonly madeAt: number;
  state: 'open' | 'settled' | 'refunded';
}

interface Account {
  balance: number;
  suspended: boolean;
  cap: number;
  spent: number;
  windowFrom: number | undefined;
}

/** How a job has ended; undefined: it has not. */
export type End = 'succeeded' | 'failed' | 'cancelled' | 'voided';

const dayMs = 86_400_000;

/** 1, 2 and 4: balances, and what becomes of each charge. */
export class AccountBook {
  readonly #accounts = new Map<string, Account>();
  readonly #charges = new Map<string, Charge>();
  /** Balance of each tenant after each event of its account, by position. */
  readonly #history = new Map<string, { position: bigint; balance: number }[]>();
  endOf: (jobId: string) => End | undefined = () => undefined;

  constructor(private readonly report: Report) {}

  get charges(): readonly Charge[] {
    return [...this.#charges.values()];
  }

  chargeOf(chargeId: string): Charge | undefined {
    return this.#charges.get(chargeId);
  }

  get tenants(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  balanceAt(tenant: string, position: bigint): number {
    const known = this.#history.get(tenant) ?? [];
    return known.findLast((entry) => entry.position <= position)?.balance ?? 0;
  }

  observe(tenant: string, { type, data: stored, position }: RecordedEvent): void {
    const data = stored as StoredData;
    const account = this.#accountOf(tenant);
    switch (type) {
      case 'AccountOpened':
      case 'PlanChanged':
        account.cap = data.dailySpendCapCredits ?? 0;
        break;
      case 'AccountSuspended':
        account.suspended = true;
        break;
      case 'AccountReactivated':
        account.suspended = false;
        break;
      case 'CreditsPurchased':
        account.balance += data.amount ?? Number.NaN;
        break;
      case 'CreditsDebited':
        this.#debited(tenant, account, data);
        break;
      case 'CreditsSettled':
      case 'CreditsRefunded':
        this.#closed(account, type === 'CreditsSettled' ? 'settled' : 'refunded', data);
        break;
      default:
        this.report(`an account holds ${type}`);
    }
    if (!(account.balance >= 0)) this.report(`1: the balance of ${tenant} is ${account.balance}`);
    const history = this.#history.get(tenant) ?? [];
    history.push({ position, balance: account.balance });
    this.#history.set(tenant, history);
  }

  atRest(): void {
    for (const { chargeId, jobId, parentJobId, state } of this.#charges.values()) {
      const end = this.endOf(jobId) ?? (parentJobId && this.endOf(parentJobId));
      if (state === 'open')
        this.report(`3, 4: the charge ${short(chargeId)} is open, its job ${end ?? 'has not ended'}`);
      else if ((end === 'succeeded') !== (state === 'settled'))
        this.report(`4: the job ${short(jobId)} ${end ?? 'has not ended'}, and its charge is ${state}`);
    }
  }

  #debited(tenant: string, account: Account, data: StoredData): void {
    const { chargeId, requestId = '', jobId = '', parentJobId, amount = Number.NaN, at = '' } = data;
    if (typeof chargeId !== 'string') return this.report('2: a debit names no charge');
    if (this.#charges.has(chargeId)) this.report(`2: the charge ${short(chargeId)} is made twice`);
    if (account.suspended) this.report(`a suspended account is debited (${short(chargeId)})`);
    const madeAt = Date.parse(at);
    const made = { chargeId, tenant, requestId, jobId, parentJobId: parentJobId ?? undefined, amount };
    this.#charges.set(chargeId, { ...made, madeAt, state: 'open' });
    account.balance -= amount;
    if (account.windowFrom === undefined || madeAt - account.windowFrom > dayMs) {
      account.windowFrom = madeAt;
      account.spent = 0;
    }
    account.spent += amount;
    if (account.cap > 0 && account.spent > account.cap)
      this.report(`the daily cap of ${account.cap} is exceeded: ${account.spent}`);
  }

  #closed(account: Account, state: 'settled' | 'refunded', { chargeId, amount }: StoredData): void {
    const charge = this.#charges.get(chargeId ?? '');
    if (!charge) return this.report(`2: ${short(chargeId)} is ${state} and was never charged`);
    if (charge.state !== 'open') this.report(`2: ${short(chargeId)} is ${charge.state}, and now ${state}`);
    if (charge.amount !== amount)
      this.report(`2: ${short(chargeId)} was ${charge.amount} and ${state} for ${amount}`);
    charge.state = state;
    const end = this.endOf(charge.jobId) ?? (charge.parentJobId && this.endOf(charge.parentJobId));
    if (end === undefined || (end === 'succeeded') !== (state === 'settled'))
      this.report(`4: ${short(chargeId)} is ${state}, and its job ${end ?? 'has not ended'}`);
    if (state === 'settled') return;
    account.balance += charge.amount;
    if (account.windowFrom !== undefined && charge.madeAt >= account.windowFrom)
      account.spent -= charge.amount;
  }

  #accountOf(tenant: string): Account {
    let account = this.#accounts.get(tenant);
    if (!account) {
      account = { balance: 0, suspended: false, cap: 0, spent: 0, windowFrom: undefined };
      this.#accounts.set(tenant, account);
    }
    return account;
  }
}

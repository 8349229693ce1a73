import type { AccountEvent, AccountTerms } from './account.events.js';

/**
 * An account is `unopened` until AccountOpened, then `active`. AccountSuspended makes it `suspended`: it can
 * then be neither debited nor reopened, but its open charges still settle or get refunded.
 */
export type Account =
  | { readonly status: 'unopened' }
  | {
      readonly status: 'active' | 'suspended';
      readonly tenant: string;
      readonly name: string;
      readonly terms: AccountTerms;
      /** In credits; never below 0. */
      readonly balance: number;
      /** Spent in the window that began at `windowStartedAt`, less the refunds of charges of that window. */
      readonly spentInWindow: number;
      /** ISO 8601, or null before the first debit. */
      readonly windowStartedAt: string | null;
      /** Ids of the grants and corrections so far, so that none is made twice. */
      readonly adjustments: readonly string[];
      /** Changed in place. Closed charges are removed, so a second settle or refund does nothing. */
      readonly charges: ChargeBook;
    };

export type OpenedAccount = Exclude<Account, { status: 'unopened' }>;

export const initialAccount: Account = { status: 'unopened' };

/** Increased whenever the fold below changes its result, so that older snapshots are ignored. */
export const accountFoldVersion = 2;

const dayMs = 24 * 60 * 60 * 1000;

/** Credits spent in the window at `at`. The window resets when more than 24 h have passed. */
export function spentToday(account: OpenedAccount, at: string): number {
  return windowIsOver(account, at) ? 0 : account.spentInWindow;
}

/** When {@link spentToday} becomes 0 again, ISO 8601; null if nothing counts at `at`. */
export function spendResetsAt(account: OpenedAccount, at: string): string | null {
  if (account.windowStartedAt === null || windowIsOver(account, at)) return null;
  return new Date(Date.parse(account.windowStartedAt) + dayMs + 1).toISOString();
}

function windowIsOver(account: OpenedAccount, at: string): boolean {
  return account.windowStartedAt === null || Date.parse(at) - Date.parse(account.windowStartedAt) > dayMs;
}

/** A copy for a decision, to be thrown away: evolving it does not change the original. */
export function forkAccount(account: Account): Account {
  return account.status === 'unopened' ? account : { ...account, charges: account.charges.fork() };
}

export function toSnapshot(account: OpenedAccount): unknown {
  return { ...account, charges: account.charges.entries() };
}

/** The reverse of {@link toSnapshot}. The snapshot must have the present {@link accountFoldVersion}. */
export function fromSnapshot(snapshot: unknown): OpenedAccount {
  const stored = snapshot as Omit<OpenedAccount, 'charges'> & { charges: [string, OpenCharge][] };
  return { ...stored, charges: new ChargeBook(stored.charges) };
}

/** The state after one more event. Total: it accepts every event that a decide function ever emitted. */
export function evolveAccount(account: Account, event: AccountEvent): Account {
  if (event.type === 'AccountOpened') {
    const { tenant, name, at: _at, ...terms } = event.data;
    return {
      status: 'active',
      tenant,
      name,
      terms,
      balance: 0,
      spentInWindow: 0,
      windowStartedAt: null,
      adjustments: [],
      charges: new ChargeBook(),
    };
  }
  if (account.status === 'unopened') throw new Error(`${event.type} on an account that was never opened`);
  return evolveOpened(account, event);
}

function evolveOpened(
  account: OpenedAccount,
  event: Exclude<AccountEvent, { type: 'AccountOpened' }>,
): OpenedAccount {
  switch (event.type) {
    case 'PlanChanged': {
      const { at: _at, ...terms } = event.data;
      return { ...account, terms };
    }
    case 'CreditsPurchased': {
      const { amount, grantId } = event.data;
      const balance = account.balance + amount;
      if (grantId === undefined) return { ...account, balance };
      return { ...account, balance, adjustments: [...account.adjustments, grantId] };
    }
    case 'CreditsCorrected': {
      const { amount, correctionId } = event.data;
      const adjustments = [...account.adjustments, correctionId];
      return { ...account, balance: account.balance - amount, adjustments };
    }
    case 'CreditsDebited':
      return debited(account, event.data);
    case 'CreditsSettled':
      account.charges.close(event.data.chargeId);
      return account;
    case 'CreditsRefunded':
      return refunded(account, event.data);
    case 'AccountSuspended':
      return { ...account, status: 'suspended' };
    case 'AccountReactivated':
      return { ...account, status: 'active' };
    default:
      return event satisfies never;
  }
}

function debited(
  account: OpenedAccount,
  charge: { chargeId: string; jobId: string; amount: number; at: string },
): OpenedAccount {
  const fresh = windowIsOver(account, charge.at);
  account.charges.open(charge.chargeId, { jobId: charge.jobId, amount: charge.amount, at: charge.at });
  return {
    ...account,
    balance: account.balance - charge.amount,
    spentInWindow: (fresh ? 0 : account.spentInWindow) + charge.amount,
    windowStartedAt: fresh ? charge.at : account.windowStartedAt,
  };
}

function refunded(account: OpenedAccount, refund: { chargeId: string; amount: number }): OpenedAccount {
  const charge = account.charges.get(refund.chargeId);
  account.charges.close(refund.chargeId);
  // A refund from an earlier window raises the balance, but does not make room in today's cap.
  const ofThisWindow =
    charge !== undefined &&
    account.windowStartedAt !== null &&
    Date.parse(charge.at) >= Date.parse(account.windowStartedAt);
  return {
    ...account,
    balance: account.balance + refund.amount,
    spentInWindow: ofThisWindow ? account.spentInWindow - refund.amount : account.spentInWindow,
  };
}

/** A debit that is neither settled nor refunded yet. */
export interface OpenCharge {
  readonly jobId: string;
  readonly amount: number;
  readonly at: string;
}

/**
 * The open charges of an account, by charge id. A busy account holds thousands, so events change them in place
 * instead of copying them. A `fork` is a thin layer over its base that can be thrown away. The account's writer
 * decides a batch on a fork, and only what the store has committed reaches the base.
 */
export class ChargeBook {
  private readonly charges: Map<string, OpenCharge | undefined>;
  private readonly base: ChargeBook | undefined;

  constructor(entries: Iterable<readonly [string, OpenCharge]> = [], base?: ChargeBook) {
    this.charges = new Map(entries);
    this.base = base;
  }

  get(chargeId: string): OpenCharge | undefined {
    return this.charges.has(chargeId) ? this.charges.get(chargeId) : this.base?.get(chargeId);
  }

  open(chargeId: string, charge: OpenCharge): void {
    this.charges.set(chargeId, charge);
  }

  close(chargeId: string): void {
    if (this.base) this.charges.set(chargeId, undefined);
    else this.charges.delete(chargeId);
  }

  fork(): ChargeBook {
    return new ChargeBook([], this);
  }

  /** The number of open charges. A fork gives an upper bound, because it does not search its base. */
  get size(): number {
    return this.charges.size + (this.base?.size ?? 0);
  }

  entries(): [string, OpenCharge][] {
    const all = new Map<string, OpenCharge | undefined>(this.base?.entries());
    for (const [chargeId, charge] of this.charges) all.set(chargeId, charge);
    return [...all].filter((entry): entry is [string, OpenCharge] => entry[1] !== undefined);
  }
}

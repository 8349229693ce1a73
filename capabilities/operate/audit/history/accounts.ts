import type { AccountEvent } from '#domain/account/account.events.js';
import type { EventOfType } from '#domain/events.js';
import type { Environment } from '#domain/streams.js';
import type { EventOrigin, Placed } from '../audited-event.js';
import { closeCharge, type AuditedCharge, type Books } from './charges.js';

/** An account's sums, in credits. */
export interface AccountSums {
  readonly environment: Environment;
  readonly tenant: string;
  readonly stream: string;
  revision: number;
  position: bigint;
  balance: number;
  purchased: number;
  debited: number;
  refunded: number;
}

interface AuditedAccount extends AccountSums {
  status: 'unopened' | 'active' | 'suspended';
  /** Credits a day; 0: no cap. */
  cap: number;
  readonly day: SpendingDay;
}

/** Follows the credits of every account. */
export class AuditedAccounts {
  private readonly accounts = new Map<string, AuditedAccount>();

  constructor(private readonly books: Books) {}

  /** In the order in which they appeared. */
  get all(): IterableIterator<AccountSums> {
    return this.accounts.values();
  }

  of(stream: string): AccountSums | undefined {
    return this.accounts.get(stream);
  }

  apply(event: Placed<AccountEvent>): void {
    const account = this.account(event);
    account.revision = event.revision;
    account.position = event.position;
    this.checkOpened(account, event);
    switch (event.type) {
      case 'AccountOpened':
        account.status = 'active';
        account.cap = event.data.dailySpendCapCredits;
        break;
      case 'PlanChanged':
        account.cap = event.data.dailySpendCapCredits;
        break;
      case 'CreditsPurchased':
        this.purchase(account, event);
        break;
      case 'CreditsCorrected':
        this.correct(account, event);
        break;
      case 'CreditsDebited':
        this.debit(account, event);
        break;
      case 'CreditsSettled':
        closeCharge(this.books, event, { state: 'settled', ended: 'succeeded' });
        break;
      case 'CreditsRefunded':
        this.refund(account, event);
        break;
      case 'AccountSuspended':
        account.status = 'suspended';
        break;
      case 'AccountReactivated':
        account.status = 'active';
        break;
      default:
        event satisfies never;
    }
    this.checkBalance(account, event);
  }

  private account({ stream, environment, streamId }: EventOrigin): AuditedAccount {
    let account = this.accounts.get(stream);
    if (!account) {
      const sums = { balance: 0, purchased: 0, debited: 0, refunded: 0 };
      const place = { environment, tenant: streamId, stream, revision: -1, position: 0n };
      account = { ...place, ...sums, status: 'unopened', cap: 0, day: new SpendingDay() };
      this.accounts.set(stream, account);
    }
    return account;
  }

  private checkOpened({ status }: AuditedAccount, event: Placed<AccountEvent>): void {
    const { findings } = this.books;
    findings.checked('accounts');
    const opens = event.type === 'AccountOpened';
    if (opens === (status === 'unopened')) return;
    const message = opens ? 'an account opens once' : `${event.type} before AccountOpened`;
    findings.wrongAt(event, 'accounts', message, opens ? 'unopened' : 'opened', status);
  }

  /** Compares two computations of the balance: event by event, and from the sums. */
  private checkBalance(account: AuditedAccount, event: Placed<AccountEvent>): void {
    const { findings } = this.books;
    findings.checked('balance');
    const { balance, purchased, debited, refunded } = account;
    const expected = purchased - debited + refunded;
    if (balance !== expected) {
      const message = `${event.type} leaves a balance that purchases, debits and refunds do not explain`;
      findings.wrongAt(event, 'balance', message, expected, balance);
    }
    // Only a debit or a correction can make the balance negative, so other events are not reported until it is level
    // again.
    if (balance < 0 && (event.type === 'CreditsDebited' || event.type === 'CreditsCorrected'))
      findings.wrongAt(event, 'balance', 'the balance falls below 0', '0 or more', balance);
  }

  private purchase(account: AuditedAccount, event: Placed<EventOfType<'CreditsPurchased'>>): void {
    const { purchaseId, amount } = event.data;
    this.checkAmount(event, amount);
    account.balance += amount;
    account.purchased += amount;
    this.checkNew(event, purchaseId, 'purchase');
    this.enter(account, event, { chargeId: purchaseId, state: 'purchase', amount });
  }

  /** A correction takes back purchased credits. */
  private correct(account: AuditedAccount, event: Placed<EventOfType<'CreditsCorrected'>>): void {
    const { correctionId, amount } = event.data;
    this.checkAmount(event, amount);
    account.balance -= amount;
    account.purchased -= amount;
    this.checkNew(event, correctionId, 'correction');
    this.enter(account, event, { chargeId: correctionId, state: 'purchase', amount });
  }

  private debit(account: AuditedAccount, event: Placed<EventOfType<'CreditsDebited'>>): void {
    const { findings, jobs } = this.books;
    const { chargeId, jobId, parentJobId, amount, at } = event.data;
    this.checkAmount(event, amount);
    if (account.status === 'suspended')
      findings.wrongAt(event, 'accounts', 'a suspended account is debited', 'active', account.status);
    account.balance -= amount;
    account.debited += amount;
    const spent = account.day.debit(amount, Date.parse(at));
    const { cap } = account;
    if (cap > 0 && spent > cap)
      findings.wrongAt(event, 'accounts', 'debits go beyond the daily cap', `at most ${cap} in 24 h`, spent);
    findings.checked('charges');
    findings.checked('charge-has-job');
    if (!this.checkNew(event, chargeId, 'charge')) return;
    const job = jobs.of(event.environment, jobId);
    const parent = parentJobId === undefined ? undefined : jobs.of(event.environment, parentJobId);
    this.enter(account, event, { chargeId, state: 'open', amount, job, ...(parent && { parent }) });
  }

  private refund(account: AuditedAccount, event: Placed<EventOfType<'CreditsRefunded'>>): void {
    const { charges } = this.books;
    const { amount, chargeId, reason } = event.data;
    account.balance += amount;
    account.refunded += amount;
    const charge = charges.get(event.environment, chargeId);
    if (charge?.state === 'open') account.day.refund(amount, charge.madeAt);
    const ended = { 'job-failed': 'failed', 'job-cancelled': 'cancelled', orphaned: 'voided' } as const;
    closeCharge(this.books, event, { state: 'refunded', ended: ended[reason] });
  }

  private checkAmount(event: Placed<AccountEvent>, amount: number): void {
    if (Number.isInteger(amount) && amount > 0) return;
    const message = `${event.type} must have a whole number of credits`;
    this.books.findings.wrongAt(event, 'balance', message, '1 or more', amount);
  }

  private checkNew(
    event: Placed<AccountEvent>,
    id: string,
    kind: 'charge' | 'purchase' | 'correction',
  ): boolean {
    const { findings, charges } = this.books;
    findings.checked('replayed');
    const known = charges.get(event.environment, id);
    if (!known) return true;
    const found = `${known.state} at revision ${known.revision}`;
    findings.wrongAt(event, 'replayed', `${kind} ${id} was made before`, 'made once', found);
    return false;
  }

  /** Keeps the account's own strings, so that its charges share them. */
  private enter(
    { stream, tenant }: AuditedAccount,
    { environment, revision, data }: Placed<AccountEvent>,
    charge: Omit<AuditedCharge, 'stream' | 'tenant' | 'revision' | 'madeAt'>,
  ): void {
    const madeAt = Date.parse(data.at);
    this.books.charges.add(environment, { ...charge, stream, tenant, revision, madeAt });
  }
}

const dayMs = 86_400_000;

/** The spending of an account in a day: the day begins with a debit, and ends when more than 24 hours have passed. */
class SpendingDay {
  private beganAt = Number.NEGATIVE_INFINITY;
  private spent = 0;

  /** @returns what was spent since the day began */
  debit(amount: number, at: number): number {
    if (at - this.beganAt > dayMs) {
      this.beganAt = at;
      this.spent = 0;
    }
    this.spent += amount;
    return this.spent;
  }

  /** Makes room again for what was charged today. */
  refund(amount: number, chargedAt: number): void {
    if (chargedAt >= this.beganAt) this.spent -= amount;
  }
}

import type { AccountEvent } from '#domain/account/account.events.js';
import type { EventOfType } from '#domain/events.js';
import type { Environment } from '#domain/streams.js';
import type { EventPlace } from '../audited-event.js';
import type { Findings } from '../findings.js';
import type { Charges } from './charges.js';
import type { Jobs } from './jobs.js';
import { checkClosing, type Closing } from './outcomes.js';
import { SpendingWindow } from './spending-window.js';
import type { Streams } from './streams.js';

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

interface Account extends AccountSums {
  status: 'unopened' | 'active' | 'suspended';
  readonly window: SpendingWindow;
}

type Placed<Event> = Event & EventPlace;

/** Follows the credits of every account. */
export class Accounts {
  private readonly accounts = new Map<string, Account>();

  constructor(
    private readonly findings: Findings,
    private readonly streams: Streams,
    private readonly jobs: Jobs,
    private readonly charges: Charges,
  ) {}

  /** In the order in which they appeared. */
  get all(): IterableIterator<AccountSums> {
    return this.accounts.values();
  }

  get(stream: string): AccountSums | undefined {
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
        account.window.cap = event.data.dailySpendCapCredits;
        break;
      case 'PlanChanged':
        account.window.cap = event.data.dailySpendCapCredits;
        break;
      case 'CreditsPurchased':
        this.purchase(account, event);
        break;
      case 'CreditsDebited':
        this.debit(account, event);
        break;
      case 'CreditsSettled':
        this.close(event, { state: 'settled', ended: 'succeeded' });
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

  private account({ stream, environment, streamId }: EventPlace): Account {
    let account = this.accounts.get(stream);
    if (!account) {
      const sums = { balance: 0, purchased: 0, debited: 0, refunded: 0 };
      const place = { environment, tenant: streamId, stream, revision: -1, position: 0n };
      account = { ...place, ...sums, status: 'unopened', window: new SpendingWindow() };
      this.accounts.set(stream, account);
    }
    return account;
  }

  private checkOpened(account: Account, { type, stream, revision }: Placed<AccountEvent>): void {
    this.findings.checked('accounts');
    if ((type === 'AccountOpened') === (account.status === 'unopened')) return;
    const message = type === 'AccountOpened' ? 'an account opens once' : `${type} before AccountOpened`;
    const expected = type === 'AccountOpened' ? 'unopened' : 'opened';
    this.findings.wrong({ check: 'accounts', message, stream, revision, expected, found: account.status });
  }

  /** The balance is kept event by event; the sums beside it are the other way to arrive at it. */
  private checkBalance(account: Account, { stream, revision, type }: Placed<AccountEvent>): void {
    this.findings.checked('balance');
    const expected = account.purchased - account.debited + account.refunded;
    const { balance } = account;
    if (balance !== expected) {
      const message = `${type} leaves a balance that purchases, debits and refunds do not explain`;
      this.findings.wrong({ check: 'balance', message, stream, revision, expected, found: balance });
    }
    // What takes from the balance is what is to blame: until it is level again, no other event is.
    if (balance < 0 && type === 'CreditsDebited') {
      const message = 'the balance falls below 0';
      this.findings.wrong({
        check: 'balance',
        message,
        stream,
        revision,
        expected: '0 or more',
        found: balance,
      });
    }
  }

  private purchase(account: Account, event: Placed<EventOfType<'CreditsPurchased'>>): void {
    const { purchaseId, amount } = event.data;
    const { environment, revision } = event;
    this.checkAmount(event, amount);
    account.balance += amount;
    account.purchased += amount;
    const number = this.charges.number(environment, purchaseId);
    this.checkNew(number, event, `purchase ${purchaseId}`);
    this.charges.become(number, 'purchase', revision);
  }

  private debit(account: Account, event: Placed<EventOfType<'CreditsDebited'>>): void {
    const { chargeId, jobId, parentJobId, amount, at } = event.data;
    const { environment, stream, revision } = event;
    this.checkAmount(event, amount);
    if (account.status === 'suspended') {
      const message = 'a suspended account is debited';
      this.findings.wrong({
        ...{ check: 'accounts', message, stream, revision },
        ...{ expected: 'active', found: account.status },
      });
    }
    account.balance -= amount;
    account.debited += amount;
    const madeAt = Date.parse(at);
    const over = account.window.debit(amount, madeAt);
    if (over) {
      const message = 'debits go beyond the daily cap';
      this.findings.wrong({ check: 'accounts', message, stream, revision, ...over });
    }
    const number = this.charges.number(environment, chargeId);
    this.findings.checked('charges');
    this.findings.checked('charge-has-job');
    if (!this.checkNew(number, event, `charge ${chargeId}`)) return;
    const job = this.jobs.number(environment, jobId);
    const parent = parentJobId === undefined ? -1 : this.jobs.number(environment, parentJobId);
    const charge = { stream, revision, chargeId, jobId, job, parent, amount, madeAt };
    this.charges.make(number, this.streams.numberOf(account.tenant), charge);
  }

  private refund(account: Account, event: Placed<EventOfType<'CreditsRefunded'>>): void {
    const { amount, chargeId, reason } = event.data;
    account.balance += amount;
    account.refunded += amount;
    const charge = this.charges.open.get(this.charges.number(event.environment, chargeId));
    if (charge) account.window.refund(amount, charge.madeAt);
    const ended = { 'job-failed': 'failed', 'job-cancelled': 'cancelled', orphaned: 'voided' } as const;
    this.close(event, { state: 'refunded', ended: ended[reason] });
  }

  private close(event: Closing, become: Parameters<typeof checkClosing>[2]): void {
    const { findings, charges, jobs, streams } = this;
    const closed = checkClosing({ findings, charges, jobs, streams }, event, become);
    if (closed !== undefined) charges.become(closed, become.state, event.revision);
  }

  private checkAmount({ type, stream, revision }: Placed<AccountEvent>, amount: number): void {
    if (Number.isInteger(amount) && amount > 0) return;
    const message = `${type} is of a whole number of credits`;
    this.findings.wrong({
      check: 'balance',
      message,
      stream,
      revision,
      expected: '1 or more',
      found: amount,
    });
  }

  private checkNew(number: number, { stream, revision }: EventPlace, what: string): boolean {
    this.findings.checked('replayed');
    const state = this.charges.state(number);
    if (state === 'unknown') return true;
    const message = `${what} was made before`;
    const found = `${state} at revision ${this.charges.revision(number)}`;
    this.findings.wrong({ check: 'replayed', message, stream, revision, expected: 'made once', found });
    return false;
  }
}

import type { RecordedEvent } from '#event-store/event-store.js';
import { AccountBook } from './invariants/account-book.js';
import { JobBook } from './invariants/job-book.js';
import { LogBook } from './invariants/log-book.js';
import { PriceBook } from './invariants/price-book.js';
import { RequestBook } from './invariants/request-book.js';

/**
 * What must always hold (section 10 of the design, by its numbers), kept in books of its own: a second, separately
 * written reading of the log that shares no fold with the domain. What can be broken by an event is checked with that
 * event; what only has to come true in the end is checked when everything has come to rest.
 */
export class Invariants {
  readonly violations: string[] = [];
  readonly log: LogBook;
  readonly accounts: AccountBook;
  readonly jobs: JobBook;
  readonly requests: RequestBook;
  readonly prices: PriceBook;

  constructor(now: () => number, horizonMs: number) {
    const report = (violation: string) => void this.violations.push(violation);
    this.log = new LogBook(report);
    this.accounts = new AccountBook(report);
    this.jobs = new JobBook(report, this.accounts, { now, horizonMs });
    this.accounts.endOf = (jobId) => this.jobs.endFor(jobId);
    this.prices = new PriceBook(report);
    this.requests = new RequestBook(report, this.accounts, this.jobs, now);
  }

  /** To be called with each event, in the step that commits it. */
  observe(event: RecordedEvent): void {
    this.log.observe(event);
    const [, category, id] = /^[a-z]+\.([a-z]+)-(.+)$/.exec(event.stream) ?? [];
    if (id === undefined) return;
    if (category === 'account') this.accounts.observe(id, event);
    if (category === 'job') this.jobs.observe(id, event);
    this.prices.observe(event);
    this.requests.observe(event);
  }

  /** When everything was given time and every process is up again. */
  atRest(): void {
    this.accounts.atRest();
    this.jobs.atRest();
    this.requests.atRest();
  }
}

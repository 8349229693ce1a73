import type { RecordedEvent } from '#event-store/event-store.js';
import type { AccountBook } from './account-book.js';
import type { JobBook } from './job-book.js';
import { short, type Report, type StoredData } from './stored-data.js';

/** What a caller was told of a dispatch. */
export interface Accepted {
  readonly requestId: string;
  readonly jobId: string;
  readonly creditsCost: number;
}

const retentionMs = 24 * 3_600_000;

/** 6: what was answered, and what was asked for with a key, happens once. */
export class RequestBook {
  readonly #accepted = new Map<string, Accepted>();
  readonly #refused = new Set<string>();
  /** By label: a caller that comes again with a key sends the same body. */
  readonly #jobs = new Map<string, string>();
  readonly #answers = new Map<string, string>();
  readonly #askedAt = new Map<string, number>();

  constructor(
    private readonly report: Report,
    private readonly accounts: AccountBook,
    private readonly jobs: JobBook,
    private readonly now: () => number,
  ) {}

  /** A caller sets out to ask for it, for the first time or again. */
  asked(label: string): void {
    if (!this.#askedAt.has(label)) this.#askedAt.set(label, this.now());
  }

  /** A 202. `label` names what the caller asked for, however often it came with it. */
  accepted(label: string, answer: Accepted): void {
    const { jobId, requestId, creditsCost } = answer;
    this.#accepted.set(jobId, answer);
    const earlier = this.#answers.get(label);
    if (earlier !== undefined && earlier !== jobId && this.#isRemembered(label))
      this.report(`6: ${label} was answered with the jobs ${short(earlier)} and ${short(jobId)}`);
    this.#answers.set(label, jobId);
    const job = this.jobs.jobOf(jobId);
    if (!job || job.end === 'voided')
      return this.report(`6: 202 for ${label}, and there is no job ${short(jobId)}`);
    const charged = this.accounts.charges.filter((charge) => charge.requestId === requestId);
    const sum = charged.reduce((all, { amount }) => all + amount, 0);
    if (sum !== creditsCost)
      this.report(`6: 202 for ${label} says ${creditsCost} credits; ${sum} were charged`);
  }

  refused(requestId: string): void {
    this.#refused.add(requestId);
    if (this.accounts.charges.some((charge) => charge.requestId === requestId))
      this.report(`6: the request ${short(requestId)} was refused, and charged`);
  }

  observe({ type, data: stored }: RecordedEvent): void {
    const { requestId, jobId, request, parentJobId } = stored as StoredData;
    if (type === 'CreditsDebited' && this.#refused.has(requestId ?? ''))
      this.report(`6: the request ${short(requestId)} was refused, and is charged`);
    if (type !== 'JobQueued' || parentJobId || !request?.label || !jobId) return;
    const earlier = this.#jobs.get(request.label);
    if (earlier !== undefined && earlier !== jobId && this.#isRemembered(request.label))
      this.report(
        `6: ${request.label} was asked for once and is two jobs, ${short(earlier)} and ${short(jobId)}`,
      );
    this.#jobs.set(request.label, jobId);
  }

  atRest(): void {
    for (const { jobId, requestId } of this.#accepted.values()) {
      if (this.jobs.endFor(jobId) === undefined)
        this.report(`6: the job ${short(jobId)} was answered 202 and has no end`);
      if (!this.accounts.charges.some((charge) => charge.requestId === requestId))
        this.report(`6: the request ${short(requestId)} was answered 202 and never charged`);
    }
  }

  /** A key that was first used this long ago is as good as a new one. */
  #isRemembered(label: string): boolean {
    return this.now() - (this.#askedAt.get(label) ?? 0) < retentionMs;
  }
}

import type { RecordedEvent } from '#event-store/event-store.js';
import type { AccountBook, End } from './account-book.js';
import { short, type Report, type StoredData } from './stored-data.js';

interface Job {
  readonly jobId: string;
  readonly tenant: string;
  readonly chargeId: string | undefined;
  readonly requestId: string;
  readonly parentJobId: string | undefined;
  readonly children: readonly string[];
  readonly label: string | undefined;
  attempts: number;
  end: End | undefined;
}

const ends: Readonly<Record<string, End>> = {
  JobSucceeded: 'succeeded',
  JobFailed: 'failed',
  JobCancelled: 'cancelled',
  JobVoided: 'voided',
};

const maxAttempts = 3;

/** 3, 5 and what a batch is: jobs from their charge to their end. */
export class JobBook {
  readonly #jobs = new Map<string, Job>();
  readonly #engineCalls = new Map<string, number>();

  constructor(
    private readonly report: Report,
    private readonly accounts: AccountBook,
    private readonly time: { readonly now: () => number; readonly horizonMs: number },
  ) {}

  /** All that were ever queued. */
  get queued(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ requestId }) => requestId !== '');
  }

  get engineCalls(): number {
    return [...this.#engineCalls.values()].reduce((sum, calls) => sum + calls, 0);
  }

  jobOf(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  endFor(jobId: string): End | undefined {
    return this.#jobs.get(jobId)?.end;
  }

  /** 5: whoever calls the engine has recorded the attempt before. @returns the calls before this one */
  engineCalled(label: string): number {
    const calls = this.#engineCalls.get(label) ?? 0;
    this.#engineCalls.set(label, calls + 1);
    const jobs = this.queued.filter((job) => job.label === label);
    const attempts = jobs.reduce((sum, job) => sum + job.attempts, 0);
    if (calls + 1 > attempts)
      this.report(
        `5: the engine is called for ${label} a ${calls + 1}. time, with ${attempts} attempts on record`,
      );
    return calls;
  }

  observe(jobId: string, { type, data: stored, metadata }: RecordedEvent): void {
    const data = stored as StoredData;
    const job = this.#jobs.get(jobId);
    if (job?.end !== undefined)
      return this.report(`5: ${type} follows on the end of ${short(jobId)} (${job.end})`);
    if (type === 'JobQueued') return this.#queue(jobId, job, data);
    if (type === 'JobVoided') return this.#void(jobId, job, data, metadata.actor);
    if (!job) return this.report(`5: ${type} is the first event of ${short(jobId)}`);
    const end = ends[type];
    if (end !== undefined) this.#end(job, end);
    if (type !== 'RenderStarted') return;
    if (data.attempt !== job.attempts + 1 || job.attempts >= maxAttempts)
      this.report(`5: attempt ${data.attempt} of ${short(jobId)} follows on attempt ${job.attempts}`);
    job.attempts += 1;
  }

  atRest(): void {
    for (const { jobId, end, children } of this.#jobs.values()) {
      if (end === undefined) this.report(`5: the job ${short(jobId)} has no end`);
      if (children.length === 0) continue;
      const results = children.map((child) => this.endFor(child));
      const one = results.includes('succeeded');
      if (end !== 'cancelled' && (end === 'succeeded') !== one)
        this.report(`the batch ${short(jobId)} ${end}, its photographs ${results.join(', ')}`);
    }
  }

  #queue(jobId: string, known: Job | undefined, data: StoredData): void {
    if (known) return this.report(`5: ${short(jobId)} is queued twice`);
    const {
      tenant = '',
      chargeId,
      requestId = '',
      parentJobId,
      childJobIds = [],
      creditsCost,
      request,
    } = data;
    const job = { jobId, tenant, chargeId: chargeId ?? undefined, requestId, attempts: 0, end: undefined };
    const parent = parentJobId ?? undefined;
    this.#jobs.set(jobId, { ...job, parentJobId: parent, children: childJobIds, label: request?.label });
    if (childJobIds.length === 0) {
      const charge = this.accounts.chargeOf(chargeId ?? '');
      if (!charge || charge.jobId !== jobId || charge.tenant !== tenant)
        return this.report(`3: the job ${short(jobId)} is queued, and nothing was charged for it`);
      if (charge.state !== 'open')
        this.report(`3: the job ${short(jobId)} is queued, and its charge is ${charge.state} already`);
      if (charge.amount !== creditsCost)
        this.report(`2: the job ${short(jobId)} costs ${creditsCost}, and ${charge.amount} was charged`);
      return;
    }
    const charges = this.accounts.charges.filter((charge) => charge.parentJobId === jobId);
    const sum = charges.reduce((all, { amount }) => all + amount, 0);
    if (charges.length !== childJobIds.length || sum !== creditsCost)
      this.report(`3: the batch ${short(jobId)} costs ${creditsCost}; ${charges.length} charges make ${sum}`);
  }

  /** 6: a charge may be given up only when its request has had its time, or by the request or its caller. */
  #void(jobId: string, known: Job | undefined, { chargeId }: StoredData, actor: string): void {
    if (known) return this.report(`3: ${short(jobId)} is fenced off, and was queued before`);
    const blank = { tenant: '', requestId: '', parentJobId: undefined, children: [], label: undefined };
    const id = chargeId ?? undefined;
    this.#jobs.set(jobId, { ...blank, jobId, chargeId: id, attempts: 0, end: 'voided' });
    const charge = this.accounts.chargeOf(id ?? '');
    if (actor !== 'saga:orphan-sweep') return;
    if (charge && this.time.now() - charge.madeAt < this.time.horizonMs)
      this.report(`3: the sweep gives up the charge ${short(id)} before the horizon`);
  }

  #end(job: Job, end: End): void {
    job.end = end;
    if (job.children.length === 0 || end === 'cancelled') return;
    const results = job.children.map((child) => this.endFor(child));
    if (end === 'succeeded' && results.includes(undefined))
      this.report(`the batch ${short(job.jobId)} ${end} before all its photographs had ended`);
  }
}

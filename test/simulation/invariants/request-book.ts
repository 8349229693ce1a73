import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import type { JudgedHistory } from '../../support/judged-history.js';
import { short, type Report } from './price-book.js';

/** The answer that a caller got to a dispatch. */
export interface Accepted {
  readonly requestId: string;
  readonly jobId: string;
  readonly creditsCost: number;
}

const retentionMs = 24 * 3_600_000;

/** 6: an answered request, or one with a key, happens once. */
export class RequestBook {
  private readonly acceptedRequests = new Map<string, Accepted>();
  private readonly refusedRequests = new Set<string>();
  /** By label: a caller that repeats a key sends the same body. */
  private readonly jobs = new Map<string, string>();
  private readonly answers = new Map<string, string>();
  private readonly askedAt = new Map<string, number>();

  constructor(
    private readonly report: Report,
    private readonly history: JudgedHistory,
    private readonly now: () => number,
  ) {}

  /** A caller sends the request, for the first time or again. */
  asked(label: string): void {
    if (!this.askedAt.has(label)) this.askedAt.set(label, this.now());
  }

  /** A 202. `label` names the request, however often the caller repeats it. */
  accepted(label: string, answer: Accepted): void {
    const { jobId, requestId, creditsCost } = answer;
    this.acceptedRequests.set(jobId, answer);
    const earlier = this.answers.get(label);
    if (earlier !== undefined && earlier !== jobId && this.isRemembered(label))
      this.report(`6: ${label} was answered with the jobs ${short(earlier)} and ${short(jobId)}`);
    this.answers.set(label, jobId);
    if (!this.isThere(jobId)) return this.report(`6: 202 for ${label}, and there is no job ${short(jobId)}`);
    const sum = this.history.chargesOf(requestId).reduce((all, { amount }) => all + amount, 0);
    if (sum !== creditsCost)
      this.report(`6: 202 for ${label} says ${creditsCost} credits; ${sum} were charged`);
  }

  refused(requestId: string): void {
    this.refusedRequests.add(requestId);
    if (this.history.chargesOf(requestId).length > 0)
      this.report(`6: the request ${short(requestId)} was refused, and charged`);
  }

  observe(event: AuditedEvent): void {
    if (event.type === 'CreditsDebited' && this.refusedRequests.has(event.data.requestId))
      this.report(`6: the request ${short(event.data.requestId)} was refused, and is charged`);
    if (event.type !== 'JobQueued' || event.data.parentJobId !== null) return;
    const { jobId, request } = event.data;
    const label = request['label'];
    if (typeof label !== 'string') return;
    const earlier = this.jobs.get(label);
    if (earlier !== undefined && earlier !== jobId && this.isRemembered(label))
      this.report(`6: ${label} was asked for once and is two jobs, ${short(earlier)} and ${short(jobId)}`);
    this.jobs.set(label, jobId);
  }

  /** Takes over facts about callers from before a restore, as far as the log still has them. */
  takeOver({ askedAt, answers, acceptedRequests }: RequestBook): void {
    for (const [label, at] of askedAt) this.askedAt.set(label, at);
    for (const [label, jobId] of answers) if (this.isThere(jobId)) this.answers.set(label, jobId);
    for (const [jobId, answer] of acceptedRequests)
      if (this.isThere(jobId)) this.acceptedRequests.set(jobId, answer);
  }

  private isThere(jobId: string): boolean {
    const state = this.history.stateOf(jobId);
    return state !== 'unknown' && state !== 'voided';
  }

  atRest(): void {
    for (const { jobId, requestId } of this.acceptedRequests.values()) {
      if (!this.history.hasEnded(jobId))
        this.report(`6: the job ${short(jobId)} was answered 202 and has no end`);
      if (this.history.chargesOf(requestId).length === 0)
        this.report(`6: the request ${short(requestId)} was answered 202 and never charged`);
    }
  }

  /** After this long since its first use, a key counts as new. */
  private isRemembered(label: string): boolean {
    return this.now() - (this.askedAt.get(label) ?? 0) < retentionMs;
  }
}

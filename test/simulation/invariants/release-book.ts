import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import { releaseKeeper } from '#capabilities/releases/release-keeper.follows.js';
import type { EventOfType } from '#domain/events.js';
import type { Checkpoints } from '../services/checkpoints.js';
import { short, type Report } from './price-book.js';

type Queued = EventOfType<'JobQueued'>['data'];

interface Terms {
  readonly workflows: readonly string[];
  readonly expiresAt: string | null;
  readonly hasEnded: boolean;
}

interface Release {
  readonly tenant: string;
  readonly person: string;
  /** The terms from each position on, the first first. */
  readonly terms: { readonly since: bigint; readonly terms: Terms }[];
}

const photographs: Readonly<Record<string, string>> = { 'pdp-batch-extractions': 'pdp-extractions' };

/**
 * Releases: a job about a person is queued only if some release covered it, or none was required, as far as its process
 * could know; and a job that a release no longer covers does not begin after the release keeper has seen that.
 */
export class ReleaseBook {
  private readonly releases = new Map<string, Release>();
  /** By tenant: from each position on, whether releases are required. */
  private readonly rules = new Map<string, { readonly since: bigint; readonly required: boolean }[]>();
  private readonly knownBy = new Map<string, bigint>();
  /** By request: when it was asked, and the part of the log that every process knew for sure. */
  private readonly asked = new Map<string, { readonly known: bigint; readonly at: number }>();
  /** Jobs that no release covers: from the position at which the release keeper must stop them. */
  private readonly toStop = new Map<string, bigint>();
  private readonly waiting = new Map<string, Queued>();
  /** Releases whose jobs the keeper could not find, because the read models were behind. */
  private readonly missedReleases = new Set<string>();

  /** False while the events of a restored log are read again. */
  private isNow = true;

  constructor(
    private readonly report: Report,
    private readonly now: () => number,
    private readonly checkpoints: Pick<Checkpoints, 'positionOf' | 'isMisfit' | 'isResetDue'>,
  ) {}

  /** The releases of a tenant, oldest first. */
  idsOf(tenant: string): string[] {
    return [...this.releases].filter(([, release]) => release.tenant === tenant).map(([id]) => id);
  }

  /** A process reads all releases that the log has by now. */
  booted(api: string, head: bigint): void {
    this.knownBy.set(api, head);
  }

  dispatched(requestId: string): void {
    const known = [...this.knownBy.values()].reduce((lower, each) => (each < lower ? each : lower));
    this.asked.set(requestId, { known, at: this.now() });
  }

  missed(releaseId: string): void {
    this.missedReleases.add(releaseId);
  }

  /** @param isNow false: it comes from a restored log, and the checkpoint says nothing about its time */
  observe(event: AuditedEvent, isNow: boolean): void {
    const { position: since, streamId, tenant } = event;
    this.isNow = isNow;
    switch (event.type) {
      case 'ModelReleaseGranted': {
        const { workflows, expiresAt, dataSubject: person } = event.data;
        const terms = [{ since, terms: { workflows, expiresAt, hasEnded: false } }];
        this.releases.set(streamId, { tenant, person, terms });
        return;
      }
      case 'ModelReleaseRevised':
        return this.changed(streamId, since, event.data);
      case 'ModelReleaseWithdrawn':
      case 'ModelReleaseExpired':
      case 'ModelReleaseErased':
        return this.changed(streamId, since, { hasEnded: true });
      case 'ReleasesRequired':
      case 'ReleasesMadeOptional': {
        const required = event.type === 'ReleasesRequired';
        this.rules.set(streamId, [...(this.rules.get(streamId) ?? []), { since, required }]);
        return;
      }
      case 'JobQueued':
        return this.queued(event.data, since);
      case 'RenderStarted':
        return this.started(streamId);
      case 'JobFailed':
      case 'JobCancelled':
        return void this.waiting.delete(streamId);
      default:
        return;
    }
  }

  private changed(releaseId: string, since: bigint, change: Partial<Terms>): void {
    const release = this.releases.get(releaseId);
    const before = release?.terms.at(-1)?.terms;
    if (!release || !before) return;
    release.terms.push({ since, terms: { ...before, ...change } });
    for (const job of this.waiting.values())
      if (job.permits?.some((permit) => permit?.startsWith(`${releaseId}@`)))
        if (!this.covers(releaseId, since, job.operation)) this.mustStop(job.jobId, since);
  }

  private queued(job: Queued, position: bigint): void {
    const { dataSubjects = [], permits = [], requestId, tenant, operation } = job;
    if (dataSubjects.length === 0) return;
    this.waiting.set(job.jobId, job);
    const asked = this.asked.get(requestId);
    for (const [index, person] of dataSubjects.entries()) {
      const [releaseId] = permits[index]?.split('@') ?? [];
      if (releaseId !== undefined && !this.covers(releaseId, position, operation))
        this.mustStop(job.jobId, position);
      if (!asked) continue;
      const times = this.momentsBetween(asked.known, position);
      const isAllowed = (at: bigint) =>
        releaseId === undefined
          ? !this.isRequired(tenant, at)
          : this.releases.get(releaseId)?.person === person &&
            this.covers(releaseId, at, operation, asked.at);
      if (!times.some(isAllowed))
        this.report(
          `releases: ${short(job.jobId)} is queued, and no release of ${person} covers ${operation}`,
        );
    }
  }

  /**
   * A restore may lose that the keeper has stopped the job, and the keeper has the end of its release behind it. Then only
   * housekeeping stops it, if it has not begun by then.
   */
  private mustStop(jobId: string, since: bigint): void {
    if (this.isNow) this.toStop.set(jobId, since);
  }

  /** The keeper handles events in their order, and it has stopped a job before its checkpoint moves. */
  private started(jobId: string): void {
    const job = this.waiting.get(jobId);
    this.waiting.delete(jobId);
    const since = this.toStop.get(jobId);
    const isMissed = job?.permits?.some((permit) => this.missedReleases.has(permit?.split('@')[0] ?? ''));
    if (!this.isNow || !job || since === undefined || isMissed) return;
    // After a restore the checkpoint is that of another log.
    if (this.checkpoints.isMisfit || this.checkpoints.isResetDue) return;
    if (this.checkpoints.positionOf(releaseKeeper) >= since)
      this.report(`releases: ${short(jobId)} begins, and its release had ended before`);
  }

  /** The positions at which something that decides a dispatch changed. */
  private momentsBetween(from: bigint, until: bigint): bigint[] {
    const changes = [
      ...[...this.releases.values()].flatMap(({ terms }) => terms.map(({ since }) => since)),
      ...[...this.rules.values()].flatMap((rules) => rules.map(({ since }) => since)),
    ];
    return [from, ...changes.filter((since) => since > from && since <= until)];
  }

  private isRequired(tenant: string, at: bigint): boolean {
    return this.rules.get(tenant)?.findLast(({ since }) => since <= at)?.required ?? false;
  }

  private covers(releaseId: string, at: bigint, operation: string, time?: number): boolean {
    const terms = this.releases.get(releaseId)?.terms.findLast(({ since }) => since <= at)?.terms;
    if (!terms || terms.hasEnded) return false;
    if (time !== undefined && terms.expiresAt !== null && Date.parse(terms.expiresAt) <= time) return false;
    return terms.workflows.length === 0 || terms.workflows.includes(photographs[operation] ?? operation);
  }
}

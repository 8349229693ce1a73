import { AuditFindings, checks, type Finding } from '#capabilities/operate/audit/findings.js';
import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import type { ChargeState } from '#capabilities/operate/audit/history/charges.js';
import { History } from '#capabilities/operate/audit/history/history.js';
import type { AuditedJobState } from '#capabilities/operate/audit/history/jobs.js';
import type { EventOfType } from '#domain/events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';

export type QueuedJob = EventOfType<'JobQueued'>['data'];
export type MadeCharge = EventOfType<'CreditsDebited'>['data'];

const ends: readonly AuditedJobState[] = ['succeeded', 'failed', 'cancelled', 'voided'];

/**
 * The audit's model of history, for tests that judge a growing history, with the jobs and charges in it. The
 * model says how each of them ended. The rules for batches beyond the audit's checks are here.
 */
export class JudgedHistory {
  private readonly findings = new AuditFindings();
  readonly model = new History(this.findings);
  /** In the order in which they were queued. */
  readonly jobs = new Map<string, QueuedJob>();
  readonly charges = new Map<string, MadeCharge>();
  private readonly byRequest = new Map<string, MadeCharge[]>();
  /** All ids of events, and the ids that came twice. */
  private readonly ids = new Set<string>();
  private twice: string[] = [];
  private told = 0;

  constructor(private readonly environment: Environment) {}

  /** @returns the event in today's form; undefined if it cannot be read, which counts as a problem */
  apply(recorded: RecordedEvent): AuditedEvent | undefined {
    const event = this.model.apply(recorded);
    if (this.ids.has(recorded.id)) this.twice.push(recorded.id);
    this.ids.add(recorded.id);
    if (event?.type === 'JobQueued') this.jobs.set(event.data.jobId, event.data);
    if (event?.type === 'CreditsDebited') {
      const { chargeId, requestId } = event.data;
      this.charges.set(chargeId, event.data);
      this.byRequest.set(requestId, [...this.chargesOf(requestId), event.data]);
    }
    return event;
  }

  /** Findings since the last call, each with the number of the invariant that it breaks. */
  news(): string[] {
    if (this.twice.length === 0 && this.findings.all.length === this.told) return [];
    const twice = this.twice.map((id) => `7: the event id ${id} is there twice`);
    this.twice = [];
    const found = this.findings.all.slice(this.told).map(inWords);
    this.told += found.length;
    return [...found, ...twice];
  }

  stateOf(jobId: string): AuditedJobState {
    return this.model.jobs.of(this.environment, jobId).state;
  }

  hasEnded(jobId: string): boolean {
    return ends.includes(this.stateOf(jobId));
  }

  attemptsOf(jobId: string): number {
    return this.model.jobs.of(this.environment, jobId).attempts;
  }

  stateOfCharge(chargeId: string): ChargeState {
    return this.model.charges.get(this.environment, chargeId)?.state ?? 'unknown';
  }

  /** Milliseconds; undefined: the charge is not open. */
  madeAt(chargeId: string): number | undefined {
    const charge = this.model.charges.get(this.environment, chargeId);
    return charge?.state === 'open' ? charge.madeAt : undefined;
  }

  chargesOf(requestId: string): readonly MadeCharge[] {
    return this.byRequest.get(requestId) ?? [];
  }

  balanceOf(tenant: string): number {
    return this.model.accounts.of(streamName(this.environment, 'account', tenant))?.balance ?? 0;
  }

  /** Charges and jobs that are not yet settled. */
  unsettled(): string[] {
    const charges = [...this.charges.keys()].filter((chargeId) => this.stateOfCharge(chargeId) === 'open');
    const jobs = [...this.jobs.keys()].filter((jobId) => !this.hasEnded(jobId));
    return [
      ...charges.map((chargeId) => `3, 4: the charge ${chargeId} is open`),
      ...jobs.map((jobId) => `5: the job ${jobId} has no end`),
    ];
  }

  /** Problems once everything is at rest, without those that `news` has returned. */
  problemsAtRest(): string[] {
    this.model.end(Number.POSITIVE_INFINITY, 0);
    const batches = [...this.jobs.values()].flatMap(({ jobId, childJobIds = [] }) => {
      if (childJobIds.length === 0) return [];
      const state = this.stateOf(jobId);
      const results = childJobIds.map((child) => this.stateOf(child));
      const fits = state === 'cancelled' || (state === 'succeeded') === results.includes('succeeded');
      const isWhole = childJobIds.every((child) => this.hasEnded(child));
      return fits && isWhole ? [] : [`5: the batch ${jobId} ${state}, its photographs ${results.join(', ')}`];
    });
    return [...this.news(), ...this.unsettled(), ...batches];
  }
}

const invariantOf = new Map(checks.map(({ name, invariant }) => [name, invariant]));

function inWords({ check, message, stream, revision, expected, found }: Finding): string {
  const place = `${stream} at revision ${revision}`;
  return `${invariantOf.get(check)}: ${message} (${place}: must be ${String(expected)}, is ${String(found)})`;
}

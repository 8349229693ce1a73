import type { RecordedEvent } from '#event-store/event-store.js';
import {
  auditedEvent,
  categoryOfType,
  idIn,
  ownerIn,
  placeOf,
  TenantFilter,
  type AuditedEvent,
  type EventOrigin,
} from '../audited-event.js';
import type { AuditFindings } from '../findings.js';
import { AuditedAccounts } from './accounts.js';
import { AuditedCharges, checkOpenCharges, checkQueued, type Books } from './charges.js';
import { AuditedJobs } from './jobs.js';
import { Lifecycles } from './lifecycles.js';
import { AuditedStreams, EventIds, type AuditedStream } from './streams.js';

export interface HistoryOptions {
  /** Audits only this tenant; undefined: everything. */
  readonly tenant?: string | undefined;
  /** How often a job may be taken up. Default 3. */
  readonly mostAttempts?: number;
}

/**
 * The audit's own model of the history: it takes the events of the log in order, and reports what is wrong. The
 * simulation and the crash tests use it too.
 */
export class History implements Books {
  readonly streams: AuditedStreams;
  readonly eventIds: EventIds;
  readonly jobs: AuditedJobs;
  readonly charges = new AuditedCharges();
  readonly accounts: AuditedAccounts;
  private readonly lifecycles: Lifecycles;
  private readonly filter: TenantFilter;
  private lastPosition = -1n;
  private lastRecordedAt = Number.NEGATIVE_INFINITY;
  /** Events of streams that this service does not write. */
  foreign = 0;
  events = 0;

  constructor(
    readonly findings: AuditFindings,
    { tenant, mostAttempts = 3 }: HistoryOptions = {},
  ) {
    this.streams = new AuditedStreams(findings);
    this.eventIds = new EventIds(findings);
    this.jobs = new AuditedJobs(findings, mostAttempts);
    this.accounts = new AuditedAccounts(this);
    this.lifecycles = new Lifecycles(findings);
    this.filter = new TenantFilter(tenant);
  }

  /** When the newest event was recorded, in milliseconds. */
  get newest(): number {
    return this.lastRecordedAt;
  }

  /** @returns the event in today's form; undefined if it is unreadable, or is not part of the audit */
  apply(recorded: RecordedEvent): AuditedEvent | undefined {
    this.checkPosition(recorded);
    const place = placeOf(recorded);
    if (!place) {
      this.foreign++;
      return undefined;
    }
    const recordedAt = Date.parse(recorded.metadata.recordedAt);
    if (recordedAt > this.lastRecordedAt) this.lastRecordedAt = recordedAt;
    if (!this.filter.concerns(place)) return undefined;
    this.events++;
    this.eventIds.see(recorded.id);
    return this.read(place, this.streams.follow(place));
  }

  /**
   * Call it at the end of the history, with the current time. `horizonMs`: how long a charge that should be
   * closed may stay open.
   */
  end(now: number, horizonMs: number): void {
    checkOpenCharges(this, now - horizonMs);
    this.eventIds.suspect();
  }

  private checkPosition({ position, stream, revision }: RecordedEvent): void {
    const { findings, lastPosition } = this;
    findings.checked('positions');
    if (position <= lastPosition) {
      const place = { stream, revision: Number(revision) };
      const message = 'the position is not beyond that of the event before';
      findings.wrongAt(place, 'positions', message, `more than ${lastPosition}`, String(position));
    }
    this.lastPosition = position;
  }

  private read(place: EventOrigin, stream: AuditedStream): AuditedEvent | undefined {
    const { findings } = this;
    findings.checked('formats');
    try {
      const event = auditedEvent(place);
      const { type } = event;
      const category = categoryOfType.get(type);
      if (category !== place.category) {
        const message = `${type} does not belong in this stream`;
        findings.wrongAt(place, 'formats', message, category, place.category);
        return undefined;
      }
      const id = idIn(event);
      if (id !== undefined && id !== place.streamId) {
        const message = `${type} has another id than its stream`;
        findings.wrongAt(place, 'formats', message, place.streamId, id);
      }
      this.streams.checkTenant(stream, event, ownerIn(event));
      this.fold(event);
      return event;
    } catch (error) {
      // Data that does not fit its type throws an error where it is first used.
      const found = error instanceof Error ? error.message : String(error);
      const message = `${place.recorded.type} cannot be read`;
      findings.wrongAt(place, 'formats', message, 'an event of a known form', found);
      return undefined;
    }
  }

  private fold(event: AuditedEvent): void {
    switch (event.type) {
      case 'AccountOpened':
      case 'PlanChanged':
      case 'CreditsPurchased':
      case 'CreditsCorrected':
      case 'CreditsDebited':
      case 'CreditsSettled':
      case 'CreditsRefunded':
      case 'AccountSuspended':
      case 'AccountReactivated':
        return this.accounts.apply(event);
      case 'JobQueued':
        checkQueued(this, event);
        return this.jobs.apply(event);
      case 'RenderStarted':
      case 'EngineCalled':
      case 'EngineSubmitted':
      case 'EngineAnswered':
      case 'StageCompleted':
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
      case 'JobVoided':
      case 'JobErased':
        return this.jobs.apply(event);
      default:
        return this.lifecycles.apply(event);
    }
  }
}

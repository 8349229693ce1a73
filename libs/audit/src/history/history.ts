import type { RecordedEvent } from '#event-store/event-store.js';
import { auditedEvent, placeOf, type AuditedEvent, type EventPlace } from '../audited-event.js';
import type { Findings } from '../findings.js';
import { Accounts } from './accounts.js';
import { categoryOfType, idIn, ownerIn } from './belongings.js';
import { Charges } from './charges.js';
import { EventIds } from './event-ids.js';
import { Jobs } from './jobs.js';
import { Lifecycles } from './lifecycles.js';
import { checkOpenCharges } from './outcomes.js';
import { checkQueued } from './queueing.js';
import { Streams } from './streams.js';
import { TenantFilter } from './tenant-filter.js';

export interface HistoryOptions {
  /** Only what is of this tenant. Undefined: everything. */
  readonly tenant?: string | undefined;
  /** How often a job may be taken up. Default 3. */
  readonly mostAttempts?: number;
}

/** The audit's own model of the history: takes the log, event by event in its order, and says what is wrong with it. */
export class History {
  readonly streams: Streams;
  readonly eventIds: EventIds;
  readonly jobs: Jobs;
  readonly charges = new Charges();
  readonly accounts: Accounts;
  private readonly lifecycles: Lifecycles;
  private readonly filter: TenantFilter;
  private lastPosition = -1n;
  private lastRecordedAt = Number.NEGATIVE_INFINITY;
  /** Events of streams that this service does not write. */
  foreign = 0;
  events = 0;

  constructor(
    private readonly findings: Findings,
    { tenant, mostAttempts = 3 }: HistoryOptions = {},
  ) {
    this.streams = new Streams(findings);
    this.eventIds = new EventIds(findings);
    this.jobs = new Jobs(findings, mostAttempts);
    this.accounts = new Accounts(findings, this.streams, this.jobs, this.charges);
    this.lifecycles = new Lifecycles(findings);
    this.filter = new TenantFilter(tenant);
  }

  /** When the newest event was recorded, in milliseconds. */
  get newest(): number {
    return this.lastRecordedAt;
  }

  /** @returns the event in today's form; undefined where nothing more can be made of it, or it is not asked for */
  apply(recorded: RecordedEvent): AuditedEvent | undefined {
    this.checkPosition(recorded);
    const place = placeOf(recorded);
    if (!place) {
      this.foreign++;
      return undefined;
    }
    const recordedAt = Date.parse(recorded.metadata.recordedAt);
    if (recordedAt > this.lastRecordedAt) this.lastRecordedAt = recordedAt;
    if (!this.filter.concerns(recorded, place)) return undefined;
    this.events++;
    this.eventIds.see(recorded.id);
    return this.read(recorded, place, this.streams.follow(place));
  }

  /** The end of the history, as of a moment. `horizonMs`: how long a charge may stay open when it should not. */
  end(now: number, horizonMs: number): void {
    const { findings, charges, jobs, streams } = this;
    checkOpenCharges({ findings, charges, jobs, streams }, now - horizonMs);
  }

  private checkPosition({ position, stream, revision }: RecordedEvent): void {
    this.findings.checked('positions');
    if (position <= this.lastPosition) {
      const expected = `more than ${this.lastPosition}`;
      const message = 'the log does not grow from event to event';
      const found = String(position);
      this.findings.wrong({
        check: 'positions',
        message,
        stream,
        revision: Number(revision),
        expected,
        found,
      });
    }
    this.lastPosition = position;
  }

  private read(recorded: RecordedEvent, place: EventPlace, stream: number): AuditedEvent | undefined {
    this.findings.checked('formats');
    try {
      const event = auditedEvent(recorded, place);
      const expected = categoryOfType[event.type];
      if (expected !== place.category) {
        this.malformed(place, `${event.type} does not belong into this stream`, expected, place.category);
        return undefined;
      }
      const id = idIn(event);
      if (id !== undefined && id !== place.streamId) {
        this.malformed(place, `${event.type} is about something else than its stream`, place.streamId, id);
      }
      this.streams.checkTenant(stream, event, ownerIn(event));
      this.fold(event);
      return event;
    } catch (error) {
      // Data that is not what its type says throws wherever it is looked at first.
      const found = error instanceof Error ? error.message : String(error);
      this.malformed(place, `${recorded.type} cannot be read`, 'an event of a known form', found);
      return undefined;
    }
  }

  private fold(event: AuditedEvent): void {
    switch (event.type) {
      case 'AccountOpened':
      case 'PlanChanged':
      case 'CreditsPurchased':
      case 'CreditsDebited':
      case 'CreditsSettled':
      case 'CreditsRefunded':
      case 'AccountSuspended':
      case 'AccountReactivated':
        return this.accounts.apply(event);
      case 'JobQueued': {
        const { findings, charges, jobs, streams } = this;
        checkQueued({ findings, charges, jobs, streams }, event);
        return jobs.apply(event);
      }
      case 'RenderStarted':
      case 'StageCompleted':
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
      case 'JobVoided':
        return this.jobs.apply(event);
      default:
        return this.lifecycles.apply(event);
    }
  }

  private malformed(
    { stream, revision }: EventPlace,
    message: string,
    expected: unknown,
    found: unknown,
  ): void {
    this.findings.wrong({ check: 'formats', message, stream, revision, expected, found });
  }
}

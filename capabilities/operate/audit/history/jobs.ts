import type { EventOfType } from '#domain/events.js';
import type { EndedJob, JobEvent } from '#domain/job/job.events.js';
import type { Environment } from '#domain/streams.js';
import type { Placed } from '../audited-event.js';
import type { AuditFindings } from '../findings.js';
import { Column, hashOf, hashKey, KeyIndex } from '../memory/columns.js';

/** unknown: no event of the job was seen. The last four end it. */
const jobStates = ['unknown', 'queued', 'rendering', 'succeeded', 'failed', 'cancelled', 'voided'] as const;

export type AuditedJobState = (typeof jobStates)[number];

const firstEnd = jobStates.indexOf('succeeded');

/** The state of each job; checks that jobs only make allowed transitions. */
export class AuditedJobs {
  private readonly index = new KeyIndex();
  private readonly states = Column.uint8();
  private readonly attempts = Column.uint8();
  private readonly parents = Column.uint8();
  /** Digests of each job's tenant and charge, from JobQueued. */
  private readonly origins = Column.int32();
  /** Milliseconds; of jobs that ended. */
  private readonly ends = Column.float64();

  constructor(
    private readonly findings: AuditFindings,
    private readonly mostAttempts: number,
  ) {}

  /** A job's number; a charge may name a job long before its first event. */
  number(environment: Environment, jobId: string): number {
    return this.index.add(hashKey(jobId, environment === 'live' ? 1 : 2));
  }

  state(number: number): AuditedJobState {
    return jobStates[this.states.get(number)] ?? 'unknown';
  }

  /** How many were started. */
  attemptsOf(number: number): number {
    return this.attempts.get(number);
  }

  hasEnded(number: number): boolean {
    return this.states.get(number) >= firstEnd;
  }

  endedAt(number: number): number {
    return this.ends.get(number);
  }

  isParent(number: number): boolean {
    return this.parents.get(number) === 1;
  }

  apply(event: Placed<JobEvent>): void {
    const number = this.number(event.environment, event.streamId);
    this.checkOrder(number, event);
    switch (event.type) {
      case 'JobQueued':
        this.parents.set(number, event.data.childJobIds ? 1 : 0);
        this.attempts.set(number, 0);
        this.origins.set(number, originOf(event.data));
        return this.become(number, 'queued');
      case 'RenderStarted':
        this.checkStart(number, event);
        return this.become(number, 'rendering');
      case 'EngineCalled':
        return this.checkAttempt(number, event, event.data.attempt);
      case 'EngineSubmitted':
      case 'EngineAnswered':
        return;
      case 'StageCompleted':
        return this.checkAttempt(number, event, this.attempts.get(number));
      case 'JobSucceeded':
        this.checkAttempt(number, event, event.data.provenance?.attempt ?? this.attempts.get(number));
        this.checkOrigin(number, event);
        return this.end(number, 'succeeded', event);
      case 'JobFailed':
        this.checkAttempt(number, event, event.data.attempt);
        this.checkOrigin(number, event);
        return this.end(number, 'failed', event);
      case 'JobCancelled':
        this.checkOrigin(number, event);
        return this.end(number, 'cancelled', event);
      case 'JobVoided':
        return this.end(number, 'voided', event);
      default:
        return event satisfies never;
    }
  }

  private checkOrder(number: number, event: Placed<JobEvent>): void {
    const { type, revision } = event;
    const state = this.state(number);
    const begins = type === 'JobQueued' || type === 'JobVoided';
    if (begins) this.findings.checked('job-beginning');
    if (begins !== (state === 'unknown')) {
      const message = begins ? `${type} of a job that had begun` : `${type} of a job that was never queued`;
      const expected = begins ? 'revision 0' : 'JobQueued before';
      const found = begins ? `revision ${revision}, job ${state}` : 'nothing';
      this.findings.wrongAt(event, 'job-beginning', message, expected, found);
    }
    if (isEnd(type)) this.findings.checked('terminal');
    // What the last call cost is told when it is known.
    if (!this.hasEnded(number) || type === 'EngineAnswered') return;
    const message = `${type} after the job had ${state}`;
    this.findings.wrongAt(event, 'terminal', message, `nothing after ${state}`, type);
  }

  private checkStart(number: number, event: Placed<EventOfType<'RenderStarted'>>): void {
    const { findings, mostAttempts } = this;
    const { attempt } = event.data;
    const expected = this.attempts.get(number) + 1;
    findings.checked('attempts');
    if (attempt !== expected) {
      findings.wrongAt(event, 'attempts', 'attempts of a job count up from 1', expected, attempt);
    } else if (attempt > mostAttempts) {
      const message = `a job is taken up at most ${mostAttempts} times`;
      findings.wrongAt(event, 'attempts', message, `at most ${mostAttempts}`, attempt);
    }
    this.attempts.set(number, attempt);
  }

  /** The event that ends a job must belong to its last attempt. The parent of a batch has no attempts. */
  private checkAttempt(number: number, event: Placed<JobEvent>, found: number): void {
    const last = this.attempts.get(number);
    if (found === last && (last > 0 || this.isParent(number))) return;
    const message = `${event.type} of an attempt that was not the last one`;
    const expected = last > 0 ? last : 'an attempt that was started';
    this.findings.wrongAt(event, 'attempts', message, expected, found);
  }

  /** Older end events do not name the job's owner, so there is nothing to check in them. */
  private checkOrigin(
    number: number,
    event: Placed<EventOfType<'JobSucceeded' | 'JobFailed' | 'JobCancelled'>>,
  ): void {
    if (event.data.operation === undefined || originOf(event.data) === this.origins.get(number)) return;
    const message = 'the end of a job names another charge, workflow or parent than its beginning';
    const { chargeId, operation, parentJobId } = event.data;
    const found = `charge ${chargeId}, workflow ${operation}, parent ${parentJobId}`;
    this.findings.wrongAt(event, 'terminal', message, 'what JobQueued says', found);
  }

  private become(number: number, state: AuditedJobState): void {
    this.states.set(number, jobStates.indexOf(state));
  }

  private end(number: number, state: AuditedJobState, event: Placed<JobEvent>): void {
    this.become(number, state);
    this.ends.set(number, Date.parse(event.data.at));
  }
}

/** The tenant is checked for every event that names one. */
function originOf({ chargeId, operation, parentJobId }: EndedJob): number {
  return hashOf([chargeId, operation, parentJobId]);
}

function isEnd(type: JobEvent['type']): boolean {
  return type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled' || type === 'JobVoided';
}

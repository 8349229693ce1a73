import type { EventOfType } from '#domain/events.js';
import type { EndedJob, JobEvent } from '#domain/job/job.events.js';
import type { Environment } from '#domain/streams.js';
import type { Placed } from '../audited-event.js';
import type { AuditFindings } from '../findings.js';
import { digestOf } from '../rows/digest.js';

/** unknown: no event of the job was seen. The last four states end the job. */
export type AuditedJobState =
  'unknown' | 'queued' | 'rendering' | 'succeeded' | 'failed' | 'cancelled' | 'voided';

export interface AuditedJob {
  readonly jobId: string;
  state: AuditedJobState;
  /** How many attempts were started. */
  attempts: number;
  /** Whether it is the parent of a batch. */
  isParent: boolean;
  /** Digest of charge, workflow and parent, from JobQueued. */
  origin: number;
  /** Milliseconds; undefined until the job has ended. */
  endedAt: number | undefined;
}

/** The state of each job; checks that jobs only make allowed transitions. */
export class AuditedJobs {
  private readonly jobs = new Map<string, AuditedJob>();

  constructor(
    private readonly findings: AuditFindings,
    private readonly mostAttempts: number,
  ) {}

  /** A charge may name a job long before its first event. */
  of(environment: Environment, jobId: string): AuditedJob {
    const key = `${environment}/${jobId}`;
    let job = this.jobs.get(key);
    if (!job) {
      job = { jobId, state: 'unknown', attempts: 0, isParent: false, origin: 0, endedAt: undefined };
      this.jobs.set(key, job);
    }
    return job;
  }

  apply(event: Placed<JobEvent>): void {
    const job = this.of(event.environment, event.streamId);
    this.checkOrder(job, event);
    switch (event.type) {
      case 'JobQueued':
        job.isParent = Boolean(event.data.childJobIds);
        job.attempts = 0;
        job.origin = originOf(event.data);
        job.state = 'queued';
        return;
      case 'RenderStarted':
        this.checkStart(job, event);
        job.state = 'rendering';
        return;
      case 'EngineCalled':
        return this.checkAttempt(job, event, event.data.attempt);
      case 'EngineSubmitted':
      case 'EngineAnswered':
        return;
      case 'StageCompleted':
        return this.checkAttempt(job, event, job.attempts);
      case 'JobSucceeded':
        this.checkAttempt(job, event, event.data.provenance?.attempt ?? job.attempts);
        this.checkOrigin(job, event);
        return end(job, 'succeeded', event);
      case 'JobFailed':
        this.checkAttempt(job, event, event.data.attempt);
        this.checkOrigin(job, event);
        return end(job, 'failed', event);
      case 'JobCancelled':
        this.checkOrigin(job, event);
        return end(job, 'cancelled', event);
      case 'JobVoided':
        return end(job, 'voided', event);
      case 'JobErased':
        return this.checkErased(job, event);
      default:
        return event satisfies never;
    }
  }

  private checkOrder({ state }: AuditedJob, event: Placed<JobEvent>): void {
    const { type, revision } = event;
    const begins = type === 'JobQueued' || type === 'JobVoided';
    if (begins) this.findings.checked('job-beginning');
    if (begins !== (state === 'unknown')) {
      const message = begins ? `${type} of a job that had begun` : `${type} of a job that was never queued`;
      const expected = begins ? 'revision 0' : 'JobQueued before';
      const found = begins ? `revision ${revision}, job ${state}` : 'nothing';
      this.findings.wrongAt(event, 'job-beginning', message, expected, found);
    }
    if (isEnd(type)) this.findings.checked('terminal');
    // EngineAnswered may come after the end: it reports the cost of the last call once it is known. So may JobErased.
    if (!ends.has(state) || type === 'EngineAnswered' || type === 'JobErased') return;
    const message = `${type} after the job had ${state}`;
    this.findings.wrongAt(event, 'terminal', message, `nothing after ${state}`, type);
  }

  private checkStart(job: AuditedJob, event: Placed<EventOfType<'RenderStarted'>>): void {
    const { findings, mostAttempts } = this;
    const { attempt } = event.data;
    const expected = job.attempts + 1;
    findings.checked('attempts');
    if (attempt !== expected) {
      findings.wrongAt(event, 'attempts', 'attempts of a job count up from 1', expected, attempt);
    } else if (attempt > mostAttempts) {
      const message = `a job is taken up at most ${mostAttempts} times`;
      findings.wrongAt(event, 'attempts', message, `at most ${mostAttempts}`, attempt);
    }
    job.attempts = attempt;
  }

  /** The event that ends a job must belong to its last attempt. The parent of a batch has no attempts. */
  private checkAttempt(
    { attempts: last, isParent }: AuditedJob,
    event: Placed<JobEvent>,
    found: number,
  ): void {
    if (found === last && (last > 0 || isParent)) return;
    const message = `${event.type} of an attempt that was not the last one`;
    const expected = last > 0 ? last : 'an attempt that was started';
    this.findings.wrongAt(event, 'attempts', message, expected, found);
  }

  private checkErased({ state }: AuditedJob, event: Placed<EventOfType<'JobErased'>>): void {
    if (!event.data.words || ends.has(state) || state === 'unknown') return;
    const message = 'the words of a job were erased before it had ended';
    this.findings.wrongAt(event, 'terminal', message, 'an ended job', state);
  }

  /** Older end events do not name the job's owner, so there is nothing to check in them. */
  private checkOrigin(
    { origin }: AuditedJob,
    event: Placed<EventOfType<'JobSucceeded' | 'JobFailed' | 'JobCancelled'>>,
  ): void {
    if (event.data.operation === undefined || originOf(event.data) === origin) return;
    const message = 'the end of a job names another charge, workflow or parent than its beginning';
    const { chargeId, operation, parentJobId } = event.data;
    const found = `charge ${chargeId}, workflow ${operation}, parent ${parentJobId}`;
    this.findings.wrongAt(event, 'terminal', message, 'what JobQueued says', found);
  }
}

function end(job: AuditedJob, state: AuditedJobState, event: Placed<JobEvent>): void {
  job.state = state;
  job.endedAt = Date.parse(event.data.at);
}

const ends: ReadonlySet<AuditedJobState> = new Set(['succeeded', 'failed', 'cancelled', 'voided']);

/** The tenant is checked for every event that names one. */
function originOf({ chargeId, operation, parentJobId }: EndedJob): number {
  return digestOf([chargeId, operation, parentJobId]);
}

function isEnd(type: JobEvent['type']): boolean {
  return type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled' || type === 'JobVoided';
}

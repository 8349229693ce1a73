import type { EventOfType } from '#domain/events.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { EventPlace } from '../audited-event.js';
import type { Findings } from '../findings.js';
import { Column } from '../memory/column.js';
import { hashKey } from '../memory/hash.js';
import { KeyIndex } from '../memory/key-index.js';

/** unknown: no event of it was seen. The last four end it. */
export const jobStates = [
  'unknown',
  'queued',
  'rendering',
  'succeeded',
  'failed',
  'cancelled',
  'voided',
] as const;

export type JobState = (typeof jobStates)[number];

const firstEnd = jobStates.indexOf('succeeded');

type Placed<Event> = Event & EventPlace;

/** What has become of each job, and that it went the way that jobs go. */
export class Jobs {
  private readonly index = new KeyIndex();
  private readonly states = Column.uint8();
  private readonly attempts = Column.uint8();
  private readonly parents = Column.uint8();
  /** Milliseconds; of jobs that ended. */
  private readonly ends = Column.float64();

  constructor(
    private readonly findings: Findings,
    private readonly mostAttempts: number,
  ) {}

  /** A job's number; a charge may name a job long before its first event. */
  number(environment: string, jobId: string): number {
    return this.index.add(hashKey(jobId, environment === 'live' ? 1 : 2));
  }

  state(number: number): JobState {
    return jobStates[this.states.get(number)]!;
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
        return this.become(number, 'queued');
      case 'RenderStarted':
        this.checkStart(number, event);
        return this.become(number, 'rendering');
      case 'StageCompleted':
        return this.checkAttempt(number, event, this.attempts.get(number));
      case 'JobSucceeded':
        this.checkAttempt(number, event, event.data.provenance?.attempt ?? this.attempts.get(number));
        return this.end(number, 'succeeded', event);
      case 'JobFailed':
        this.checkAttempt(number, event, event.data.attempt);
        return this.end(number, 'failed', event);
      case 'JobCancelled':
        return this.end(number, 'cancelled', event);
      case 'JobVoided':
        return this.end(number, 'voided', event);
      default:
        return event satisfies never;
    }
  }

  private checkOrder(number: number, { type, stream, revision }: Placed<JobEvent>): void {
    const state = this.state(number);
    const begins = type === 'JobQueued' || type === 'JobVoided';
    if (begins) this.findings.checked('job-beginning');
    if (begins !== (state === 'unknown')) {
      const message = begins ? `${type} of a job that had begun` : `${type} of a job that was never queued`;
      const expected = begins ? 'revision 0' : 'JobQueued before';
      const found = begins ? `revision ${revision}, job ${state}` : 'nothing';
      this.findings.wrong({ check: 'job-beginning', message, stream, revision, expected, found });
    }
    if (isEnd(type)) this.findings.checked('terminal');
    if (this.hasEnded(number)) {
      const message = `${type} after the job had ${state}`;
      const expected = `nothing after ${state}`;
      this.findings.wrong({ check: 'terminal', message, stream, revision, expected, found: type });
    }
  }

  private checkStart(number: number, { data, stream, revision }: Placed<EventOfType<'RenderStarted'>>): void {
    this.findings.checked('attempts');
    const expected = this.attempts.get(number) + 1;
    if (data.attempt !== expected) {
      const message = 'attempts of a job count up from 1';
      const found = data.attempt;
      this.findings.wrong({ check: 'attempts', message, stream, revision, expected, found });
    } else if (expected > this.mostAttempts) {
      const message = `a job is taken up at most ${this.mostAttempts} times`;
      this.findings.wrong({
        ...{ check: 'attempts', message, stream, revision },
        ...{ expected: `at most ${this.mostAttempts}`, found: data.attempt },
      });
    }
    this.attempts.set(number, data.attempt);
  }

  /** What ended the job belongs to its last attempt; that of a photograph's batch to none of its own. */
  private checkAttempt(number: number, { stream, revision, type }: Placed<JobEvent>, found: number): void {
    const expected = this.attempts.get(number);
    if (found === expected && (expected > 0 || this.isParent(number))) return;
    const message = `${type} of an attempt that was not the last one`;
    const attempt = expected > 0 ? expected : 'an attempt that was started';
    this.findings.wrong({ check: 'attempts', message, stream, revision, expected: attempt, found });
  }

  private become(number: number, state: JobState): void {
    this.states.set(number, jobStates.indexOf(state));
  }

  private end(number: number, state: JobState, event: Placed<JobEvent>): void {
    this.become(number, state);
    this.ends.set(number, Date.parse(event.data.at));
  }
}

function isEnd(type: JobEvent['type']): boolean {
  return type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled' || type === 'JobVoided';
}

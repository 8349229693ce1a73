import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { JobEvent } from './job.events.js';

export type QueuedJob = EventOfType<'JobQueued'>['data'];

/**
 * unqueued → queued → rendering → succeeded | failed | cancelled. A fence makes an unqueued job `voided`.
 * The last four absorb: no event follows them. `attempt` counts RenderStarted events.
 */
export type Job =
  | { readonly status: 'unqueued' }
  | { readonly status: 'queued'; readonly job: QueuedJob; readonly attempt: 0 }
  | {
      readonly status: 'rendering';
      readonly job: QueuedJob;
      readonly attempt: number;
      readonly worker: string;
    }
  | {
      readonly status: 'succeeded' | 'failed' | 'cancelled';
      readonly job: QueuedJob;
      readonly attempt: number;
    }
  | { readonly status: 'voided' };

export type UnfinishedJob = Extract<Job, { status: 'queued' | 'rendering' }>;

export const initialJob: Job = { status: 'unqueued' };

export function isUnfinished(job: Job): job is UnfinishedJob {
  return job.status === 'queued' || job.status === 'rendering';
}

export function evolveJob(state: Job, event: JobEvent): Job {
  switch (event.type) {
    case 'JobQueued':
      return { status: 'queued', job: event.data, attempt: 0 };
    case 'JobVoided':
      return { status: 'voided' };
    case 'StageCompleted':
      return state;
    case 'RenderStarted': {
      const { attempt, worker } = event.data;
      return { status: 'rendering', job: queued(state, event), attempt, worker };
    }
    case 'JobSucceeded':
      return { status: 'succeeded', job: queued(state, event), attempt: attemptOf(state) };
    case 'JobFailed':
      return { status: 'failed', job: queued(state, event), attempt: attemptOf(state) };
    case 'JobCancelled':
      return { status: 'cancelled', job: queued(state, event), attempt: attemptOf(state) };
    default:
      return event satisfies never;
  }
}

function queued(state: Job, event: JobEvent): QueuedJob {
  if ('job' in state) return state.job;
  throw new Error(`${event.type} on a job that was never queued`);
}

function attemptOf(state: Job): number {
  return 'attempt' in state ? state.attempt : 0;
}

/** `VOIDED`: the sweep has fenced this job off and given its charge back; it must never be queued. */
export type QueueRejection = { readonly code: 'JOB_EXISTS' | 'JOB_VOIDED' };

export function queueJob(command: QueuedJob, job: Job): Decision<JobEvent, QueueRejection> {
  if (job.status === 'voided') return reject({ code: 'JOB_VOIDED' });
  if (job.status !== 'unqueued') return reject({ code: 'JOB_EXISTS' });
  return accept({ type: 'JobQueued', data: { ...command } });
}

export interface VoidJob {
  readonly chargeId: string;
  readonly tenant: string;
  readonly at: string;
}

/** Fences a job that never came: after this a late JobQueued must fail. Refused when the job is there after all. */
export function voidJob(command: VoidJob, job: Job): Decision<JobEvent, { readonly code: 'JOB_EXISTS' }> {
  if (job.status === 'voided') return accept();
  if (job.status !== 'unqueued') return reject({ code: 'JOB_EXISTS' });
  return accept({ type: 'JobVoided', data: { ...command, reason: 'orphaned' } });
}

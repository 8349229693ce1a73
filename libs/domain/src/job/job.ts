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

export function evolve(state: Job, event: JobEvent): Job {
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

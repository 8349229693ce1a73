import { accept, reject, type Decision } from '../decision.js';
import type { Job, QueuedJob } from './job.js';
import type { JobEvent } from './job.events.js';

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

import { accept, reject, type Decision } from '../decision.js';
import { attemptOf, callsOf, isUnfinished, type Job } from './job.js';
import type { EventOfType } from '../events.js';
import type { EndedJob, JobEvent, Provenance } from './job.events.js';

/** How often one job may be taken up before it fails for good. */
export const maxAttempts = 3;

export type RenderRejection = {
  readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' | 'NOT_YOUR_ATTEMPT';
};

/**
 * A worker takes the job up. The attempt is recorded before the engine is called. A job that kills its workers
 * thus runs out of attempts, and then fails here instead of starting again.
 */
export function startRender(
  command: Omit<EventOfType<'RenderStarted'>['data'], 'attempt'>,
  job: Job,
): Decision<JobEvent, RenderRejection> {
  const refused = refuseUnlessUnfinished(job);
  if (refused) return refused;
  const attempt = attemptOf(job) + 1;
  if (attempt > maxAttempts) {
    const message = `The render was started ${maxAttempts} times and never finished. Your credits were refunded.`;
    return accept({
      type: 'JobFailed',
      data: { code: 'ATTEMPTS_EXHAUSTED', message, attempt: attempt - 1, at: command.at, ...ended(job) },
    });
  }
  return accept({ type: 'RenderStarted', data: { attempt, ...command } });
}

/**
 * Records a stage of a running attempt. `attempt` proves that the report comes from the worker that holds the
 * job.
 */
export function completeStage(
  command: EventOfType<'StageCompleted'>['data'] & { readonly attempt: number },
  job: Job,
): Decision<JobEvent, RenderRejection> {
  const { attempt, ...data } = command;
  return refuseUnlessHeld(job, attempt) ?? accept({ type: 'StageCompleted', data });
}

/** Checked against the attempt: if two workers each think the other is dead, only one calls a vendor. */
export function callEngine(
  command: EventOfType<'EngineCalled'>['data'],
  job: Job,
): Decision<JobEvent, RenderRejection> {
  return refuseUnlessHeld(job, command.attempt) ?? accept({ type: 'EngineCalled', data: { ...command } });
}

export function submitCall(
  command: EventOfType<'EngineSubmitted'>['data'] & { readonly attempt: number },
  job: Job,
): Decision<JobEvent, RenderRejection> {
  const { attempt, ...data } = command;
  return refuseUnlessHeld(job, attempt) ?? accept({ type: 'EngineSubmitted', data });
}

/** Once for each call. A job that has ended still records the cost of its last call. */
export function answerCall(
  command: EventOfType<'EngineAnswered'>['data'] & { readonly attempt: number },
  job: Job,
): Decision<JobEvent, RenderRejection> {
  const { attempt, ...data } = command;
  const open = callsOf(job).some(({ call, answer }) => call === data.call && !answer);
  const late = open && !isUnfinished(job);
  const refused = late ? undefined : refuseUnlessHeld(job, attempt);
  return refused ?? (open ? accept({ type: 'EngineAnswered', data }) : accept());
}

export function succeedJob(
  command: EventOfType<'JobSucceeded'>['data'] & { readonly provenance: Provenance },
  job: Job,
): Decision<JobEvent, RenderRejection> {
  return (
    refuseUnlessHeld(job, command.provenance.attempt) ??
    accept({ type: 'JobSucceeded', data: { ...command, ...ended(job) } })
  );
}

export function failJob(
  command: EventOfType<'JobFailed'>['data'],
  job: Job,
): Decision<JobEvent, RenderRejection> {
  return (
    refuseUnlessHeld(job, command.attempt) ??
    accept({ type: 'JobFailed', data: { ...command, ...ended(job) } })
  );
}

export function cancelJob(
  command: { readonly reason: string; readonly at: string },
  job: Job,
): Decision<JobEvent, RenderRejection> {
  return refuseUnlessUnfinished(job) ?? accept({ type: 'JobCancelled', data: { ...command, ...ended(job) } });
}

export function ended(state: Job): EndedJob {
  if (!('job' in state)) return {};
  const { tenant, chargeId, operation, parentJobId } = state.job;
  return { tenant, chargeId, operation, parentJobId };
}

function refuseUnlessUnfinished(job: Job): Decision<never, RenderRejection> | undefined {
  if (isUnfinished(job)) return undefined;
  const known = job.status !== 'unqueued' && job.status !== 'voided';
  return reject({ code: known ? 'JOB_FINISHED' : 'JOB_NOT_FOUND' });
}

function refuseUnlessHeld(job: Job, attempt: number): Decision<never, RenderRejection> | undefined {
  const refused = refuseUnlessUnfinished(job);
  if (refused) return refused;
  return 'attempt' in job && job.status === 'rendering' && job.attempt === attempt
    ? undefined
    : reject({ code: 'NOT_YOUR_ATTEMPT' });
}

import { accept, reject, type Decision } from '../decision.js';
import { erasedText, erasedValueFor } from '../erased.js';
import type { EventOfType } from '../events.js';
import type { EngineAnswer, EngineCall, JobEvent } from './job.events.js';

export type QueuedJob = EventOfType<'JobQueued'>['data'];

/** A call of a vendor. Without an answer it may be under way, or paid and lost. */
export interface KnownCall extends Readonly<EngineCall> {
  readonly vendorRequestId?: string;
  readonly answer?: EngineAnswer;
}

/** The erased parts of a job. */
export interface ErasedJob {
  readonly assetIds: readonly string[];
  /** When its words were erased, ISO 8601; undefined: they are there. */
  readonly wordsAt: string | undefined;
}

/** What every later state of a job keeps. */
interface Kept {
  /** The calls of all attempts, oldest first; absent for a job without vendor calls. */
  readonly calls?: readonly KnownCall[];
  readonly erased?: ErasedJob;
}

/**
 * unqueued → queued → rendering → succeeded | failed | cancelled. A fence makes an unqueued job `voided`. The
 * last four states are final: only EngineAnswered may follow, with the cost of a late answer, and JobErased.
 * `attempt` counts RenderStarted events.
 */
export type Job =
  | { readonly status: 'unqueued' }
  | { readonly status: 'queued'; readonly job: QueuedJob; readonly attempt: 0; readonly erased?: ErasedJob }
  | ({
      readonly status: 'rendering';
      readonly job: QueuedJob;
      readonly attempt: number;
      readonly worker: string;
    } & Kept)
  | ({
      readonly status: 'succeeded' | 'failed' | 'cancelled';
      readonly job: QueuedJob;
      readonly attempt: number;
    } & Kept)
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
    case 'EngineCalled': {
      const { tenant: _tenant, operation: _operation, at: _at, ...call } = event.data;
      return withCalls(state, (calls) => [...calls, call]);
    }
    case 'EngineSubmitted': {
      const { call, vendorRequestId } = event.data;
      return withCalls(state, (calls) => told(calls, call, { vendorRequestId }));
    }
    case 'EngineAnswered': {
      const { call, at: _at, ...answer } = event.data;
      return withCalls(state, (calls) => told(calls, call, { answer }));
    }
    case 'RenderStarted': {
      const { attempt, worker } = event.data;
      return { status: 'rendering', job: queued(state, event), attempt, worker, ...kept(state) };
    }
    case 'JobSucceeded':
      return { status: 'succeeded', ...endOf(state, event) };
    case 'JobFailed':
      return { status: 'failed', ...endOf(state, event) };
    case 'JobCancelled':
      return { status: 'cancelled', ...endOf(state, event) };
    case 'JobErased':
      return 'job' in state ? withErased(state, event.data) : state;
    default:
      return event satisfies never;
  }
}

function withErased<State extends Extract<Job, { job: QueuedJob }>>(
  state: State,
  { assetIds, words, at }: EventOfType<'JobErased'>['data'],
): State {
  const known = erasedOf(state);
  const erased = {
    assetIds: [...known.assetIds, ...assetIds],
    wordsAt: known.wordsAt ?? (words ? at : undefined),
  };
  if (!words) return { ...state, erased };
  const calls = callsOf(state).map((call) => ({
    ...call,
    ...(call.answer && { answer: erasedAnswer(call.answer) }),
  }));
  return { ...state, ...(calls.length > 0 && { calls }), job: erasedOrder(state.job), erased };
}

/** The order without its personal words, as a reader of the log gets it once their key is destroyed. */
function erasedOrder(job: QueuedJob): QueuedJob {
  const { inputs, idempotency, dataSubjects } = job;
  return {
    ...job,
    displayName: erasedText,
    request: {},
    inputs: inputs.map((input) => ({
      ...input,
      sha256: erasedText,
      ...(input.meta && { meta: {} }),
      ...(input.dataSubjects && { dataSubjects: [] }),
    })),
    ...(dataSubjects && { dataSubjects: [] }),
    ...(idempotency && { idempotency: { ...idempotency, bodyHash: erasedText } }),
  };
}

function erasedAnswer(answer: EngineAnswer): EngineAnswer {
  const { kept } = answer;
  if (!kept) return answer;
  const pictures = kept.pictures.map((picture) => ({ ...picture, sha256: erasedText }));
  const reading = kept.reading === undefined ? undefined : erasedValueFor(kept.reading);
  return { ...answer, kept: { pictures, ...(reading !== undefined && { reading }) } };
}

function queued(state: Job, event: JobEvent): QueuedJob {
  if ('job' in state) return state.job;
  throw new Error(`${event.type} on a job that was never queued`);
}

function endOf(state: Job, event: JobEvent) {
  return { job: queued(state, event), attempt: attemptOf(state), ...kept(state) };
}

export function callsOf(state: Job): readonly KnownCall[] {
  return 'calls' in state ? (state.calls ?? []) : [];
}

function kept(state: Job): Kept {
  return {
    ...('calls' in state && state.calls && { calls: state.calls }),
    ...('erased' in state && state.erased && { erased: state.erased }),
  };
}

export function erasedOf(state: Job): ErasedJob {
  return ('erased' in state && state.erased) || { assetIds: [], wordsAt: undefined };
}

function withCalls(state: Job, change: (calls: readonly KnownCall[]) => readonly KnownCall[]): Job {
  if (!('job' in state) || state.status === 'queued') return state;
  return { ...state, calls: change(callsOf(state)) };
}

function told(
  calls: readonly KnownCall[],
  call: string,
  news: Pick<KnownCall, 'vendorRequestId' | 'answer'>,
): readonly KnownCall[] {
  return calls.map((known) => (known.call === call ? { ...known, ...news } : known));
}

export function attemptOf(state: Job): number {
  return 'attempt' in state ? state.attempt : 0;
}

/** `VOIDED`: the sweep has fenced this job off and refunded its charge. It must never be queued. */
export type QueueRejection = { readonly code: 'JOB_EXISTS' | 'JOB_VOIDED' };

export function queueJob(command: QueuedJob, job: Job): Decision<JobEvent, QueueRejection> {
  if (job.status === 'voided') return reject({ code: 'JOB_VOIDED' });
  if (job.status !== 'unqueued') return reject({ code: 'JOB_EXISTS' });
  return accept({ type: 'JobQueued', data: { ...command } });
}

/** Fences off a job that never came, so that a late JobQueued fails. Refused if the job exists. */
export function voidJob(
  command: Omit<EventOfType<'JobVoided'>['data'], 'reason'>,
  job: Job,
): Decision<JobEvent, { readonly code: 'JOB_EXISTS' }> {
  if (job.status === 'voided') return accept();
  if (job.status !== 'unqueued') return reject({ code: 'JOB_EXISTS' });
  return accept({ type: 'JobVoided', data: { ...command, reason: 'orphaned' } });
}

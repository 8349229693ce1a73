import type { ProjectedEvent } from '#read-store/projected-event.js';
import { foldRow, type ReadModel } from '#read-store/read-model.js';
import { timelineRow } from '../timeline/timeline.read-model.js';
import { JobRow, type LatestEvent } from './jobs.entity.js';

export const jobsReadModel: ReadModel<JobRow> = {
  name: 'jobs',
  version: 2,
  entity: JobRow,
  categories: ['job'],
  // A voided stream is a fence against a late JobQueued: no job ever was.
  keyOf: (event) => (event.type === 'JobVoided' ? undefined : [event.streamId]),
  evolve,
};

/** The row that a job's own stream gives, or undefined when there never was such a job. */
export function foldJobRow(events: readonly ProjectedEvent[]): JobRow | undefined {
  return foldRow(jobsReadModel, events);
}

function evolve(row: JobRow | undefined, event: ProjectedEvent): JobRow | undefined {
  if (event.type === 'JobQueued') return queued(event);
  if (!row) throw new Error(`${event.type} came before JobQueued in ${event.stream}`);
  return { ...row, ...changeOf(row, event), ...latest(event), revision: Number(event.revision) };
}

function queued(event: Extract<ProjectedEvent, { type: 'JobQueued' }>): JobRow {
  const { jobId, tenant, jobType, operation, creditsCost, requestId, chargeId } = event.data;
  return {
    publicId: jobId,
    tenant,
    jobType,
    operation,
    status: 'NOT_STARTED',
    creditsCost,
    requestId,
    chargeId,
    parentJobId: event.data.parentJobId,
    childIndex: event.data.childIndex ?? null,
    displayName: event.data.displayName,
    createdAt: new Date(event.data.at),
    startedAt: null,
    finishedAt: null,
    result: null,
    error: null,
    ...latestEventOf(event),
    revision: Number(event.revision),
  };
}

function changeOf(row: JobRow, event: ProjectedEvent): Partial<JobRow> {
  switch (event.type) {
    case 'RenderStarted':
      return { status: 'IN_PROGRESS', startedAt: row.startedAt ?? new Date(event.data.at) };
    case 'StageCompleted':
      return { status: 'IN_PROGRESS' };
    case 'JobSucceeded':
      return { status: 'SUCCESS', result: event.data.artifacts, finishedAt: new Date(event.data.at) };
    case 'JobFailed':
      return failure(event.data.code, event.data.message, event.data.at);
    case 'JobCancelled':
      return failure('CANCELLED', event.data.reason, event.data.at);
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}

function failure(code: string, message: string, at: string): Partial<JobRow> {
  return { status: 'FAILURE', error: { code, message }, finishedAt: new Date(at) };
}

/** Nothing for an internal event: the caller's cursor only ever stands on an event that the caller can see. */
function latest(event: ProjectedEvent): Partial<JobRow> {
  return event.type === 'RenderStarted' ? {} : latestEventOf(event);
}

function latestEventOf(event: ProjectedEvent): { latestSeq: number; latestEvent: LatestEvent } {
  const row = timelineRow(event);
  if (!row) throw new Error(`${event.type} is not part of a timeline`);
  const { seq, eventType, stage, message, artifacts, extra, createdAt } = row;
  const latestEvent = {
    seq,
    eventType,
    stage,
    message,
    artifacts,
    extra,
    createdAt: createdAt.toISOString(),
  };
  return { latestSeq: seq, latestEvent };
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { erasedText } from '#domain/erased.js';
import type { EventOfType } from '#domain/events.js';
import { erasedArtifacts } from '#domain/job/erase-job.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { erasedEntry, timelineRow, type TimelineRow } from '../timeline/timeline.read-model.js';

export type JobStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';

/** The newest public event of the timeline, in the form stored in the job's row. Artifacts carry no URLs. */
interface LatestEvent extends Omit<TimelineRow, 'jobId' | 'tenant' | 'visibility' | 'createdAt'> {
  /** ISO 8601, UTC. */
  createdAt: string;
}

@Entity('jobs')
@Index('jobs_by_tenant', ['tenant', 'createdAt', 'publicId'])
@Index('jobs_by_tenant_and_status', ['tenant', 'status', 'createdAt', 'publicId'])
@Index('jobs_unfinished', ['createdAt', 'publicId'], { where: 'finished_at IS NULL' })
@Index('jobs_by_end', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Index('jobs_by_idempotency_key', ['tenant', 'idempotencyKey'], { where: 'idempotency_key IS NOT NULL' })
@Index('jobs_by_data_subject', ['dataSubjects'], { type: 'gin', where: 'data_subjects IS NOT NULL' })
@Index('jobs_erased', ['erasedAt'], { where: 'erased_at IS NOT NULL' })
@Index('jobs_by_parent', ['parentJobId', 'publicId'], { where: 'parent_job_id IS NOT NULL' })
export class JobRow {
  @PrimaryColumn({ type: 'text' })
  publicId: string;

  @Column({ type: 'text' })
  tenant: string;

  /** UPPER_SNAKE, for example `MODEL_GENERATOR`. */
  @Column({ type: 'text' })
  jobType: string;

  /** The workflow's kebab-case name. */
  @Column({ type: 'text' })
  operation: string;

  @Column({ type: 'text' })
  status: JobStatus;

  @Column({ type: 'integer' })
  creditsCost: number;

  @Column({ type: 'text' })
  requestId: string;

  /** Null for the parent of a batch: its children are charged. */
  @Column({ type: 'text', nullable: true })
  chargeId: string | null;

  @Column({ type: 'text', nullable: true })
  parentJobId: string | null;

  @Column({ type: 'text' })
  displayName: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** When the first attempt began. */
  @Column({ type: 'timestamptz', nullable: true })
  startedAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  finishedAt: Date | null;

  /** The artifacts of a job that succeeded, as stored: no URLs. */
  @Column({ type: 'jsonb', nullable: true })
  result: JobArtifact[] | null;

  /** Why it failed; a cancelled job has the code `CANCELLED`. */
  @Column({ type: 'jsonb', nullable: true })
  error: { code: string; message: string } | null;

  /** `seq` of {@link latestEvent}: a caller that has seen all events polls from here. */
  @Column({ type: 'integer' })
  latestSeq: number;

  @Column({ type: 'jsonb' })
  latestEvent: LatestEvent;

  /** Revision of the last event of the job's stream that this row has seen. */
  @Column({ type: 'integer' })
  revision: number;

  /** Which of its parent's children it is, from 0. */
  @Column({ type: 'integer', nullable: true })
  childIndex: number | null;

  /** The image model that was chosen at dispatch. */
  @Column({ type: 'text', nullable: true })
  imageModel: string | null;

  /** The hash of the dispatch's Idempotency-Key, if any. */
  @Column({ type: 'text', nullable: true })
  idempotencyKey: string | null;

  /** The hash of the body that came with it. */
  @Column({ type: 'text', nullable: true })
  idempotencyBody: string | null;

  /** The persons whom it is about, by the tenant's names. Null: none is named. */
  @Column({ type: 'jsonb', nullable: true })
  dataSubjects: string[] | null;

  /** When its words were erased. */
  @Column({ type: 'timestamptz', nullable: true })
  erasedAt: Date | null;
}

export const jobsReadModel: ReadModel<JobRow> = {
  name: 'jobs',
  version: 2,
  entity: JobRow,
  categories: ['job'],
  // A voided stream is a fence against a late JobQueued; the job never existed.
  keysOf: (event) => (event.type === 'JobVoided' ? [] : [[event.streamId]]),
  evolve,
};

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
    imageModel: event.data.imageModel ?? null,
    idempotencyKey: event.data.idempotency?.keyHash ?? null,
    idempotencyBody: event.data.idempotency?.bodyHash ?? null,
    dataSubjects: event.data.dataSubjects ?? null,
    createdAt: new Date(event.data.at),
    startedAt: null,
    finishedAt: null,
    result: null,
    error: null,
    erasedAt: null,
    // Every timeline begins with this event.
    ...latestEventOf(timelineRow(event)!),
    revision: Number(event.revision),
  };
}

function changeOf(row: JobRow, event: ProjectedEvent): Partial<JobRow> {
  switch (event.type) {
    case 'RenderStarted':
      return { status: 'IN_PROGRESS', startedAt: row.startedAt ?? new Date(event.data.at) };
    case 'EngineCalled':
    case 'EngineSubmitted':
    case 'EngineAnswered':
      return {};
    case 'StageCompleted':
      return { status: 'IN_PROGRESS' };
    case 'JobSucceeded':
      return { status: 'SUCCESS', result: event.data.artifacts, finishedAt: new Date(event.data.at) };
    case 'JobFailed':
      return failure(event.data.code, event.data.message, event.data.at);
    case 'JobCancelled':
      return failure('CANCELLED', event.data.reason, event.data.at);
    case 'JobErased':
      return erased(row, event.data);
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}

function erased(row: JobRow, data: EventOfType<'JobErased'>['data']): Partial<JobRow> {
  const { result, error, latestEvent, idempotencyBody } = row;
  const pictures = {
    result: result && erasedArtifacts(result, data),
    latestEvent: { ...latestEvent, ...erasedEntry(latestEvent, data) },
  };
  if (!data.words) return pictures;
  return {
    ...pictures,
    displayName: erasedText,
    error: error && { ...error, message: erasedText },
    dataSubjects: row.dataSubjects && [],
    idempotencyBody: idempotencyBody === null ? null : erasedText,
    erasedAt: row.erasedAt ?? new Date(data.at),
  };
}

function failure(code: string, message: string, at: string): Partial<JobRow> {
  return { status: 'FAILURE', error: { code, message }, finishedAt: new Date(at) };
}

/** Empty for an internal event: the caller's cursor only ever points to an event that the caller can see. */
function latest(event: ProjectedEvent): Partial<JobRow> {
  const row = timelineRow(event);
  return row?.visibility === 'public' ? latestEventOf(row) : {};
}

function latestEventOf({ jobId: _job, tenant: _tenant, visibility: _visibility, ...row }: TimelineRow) {
  return { latestSeq: row.seq, latestEvent: { ...row, createdAt: row.createdAt.toISOString() } };
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { TimelineEventType } from '../timeline/timeline.entity.js';

export type JobStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';

/** The newest public event of the timeline, as it is stored in the job's row. Artifacts carry no URLs. */
export interface LatestEvent {
  seq: number;
  eventType: TimelineEventType;
  stage: string;
  message: string;
  artifacts: JobArtifact[];
  extra: Record<string, unknown>;
  /** ISO 8601, UTC. */
  createdAt: string;
}

@Entity('jobs')
@Index('jobs_by_tenant', ['tenant', 'createdAt', 'publicId'])
@Index('jobs_by_tenant_and_status', ['tenant', 'status', 'createdAt', 'publicId'])
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

  /** `seq` of {@link latestEvent}: where a caller that saw it all polls on from. */
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
}

import type { JobArtifact } from '#domain/job/job.events.js';
import type { Environment } from '#domain/streams.js';

export type JobStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';

/** An event of a job's timeline as a caller may see it; URLs are still to be presigned. */
export interface TimelineEventView {
  /** The polling cursor: revision in the job's stream + 1. */
  readonly seq: number;
  readonly eventType: string;
  readonly stage: string;
  readonly message: string;
  readonly artifacts: readonly JobArtifact[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A job as its read model, or the fold of its own stream, shows it. */
export interface JobView {
  readonly publicId: string;
  readonly jobType: string;
  readonly status: JobStatus;
  readonly creditsCost: number;
  readonly requestId: string;
  readonly parentJobId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Artifacts of a job that succeeded. */
  readonly result: readonly JobArtifact[] | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly latestSeq: number;
  readonly latestEvent: TimelineEventView & { readonly createdAt: string };
}

export interface JobsFilter {
  /** Absent: all types. */
  readonly jobTypes?: readonly string[] | undefined;
  readonly status?: JobStatus | undefined;
  /** Strictly after. */
  readonly createdAfter?: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The jobs read model of one environment. */
export abstract class JobReads {
  /** Newest first. */
  abstract list(tenant: string, filter: JobsFilter): Promise<readonly JobView[]>;
  abstract find(tenant: string, jobId: string): Promise<JobView | undefined>;
  abstract children(tenant: string, parentJobId: string): Promise<readonly JobView[]>;
}

export type TimelineEntry = TimelineEventView & { readonly createdAt: Date };

/** The timeline read model of one environment. */
export abstract class TimelineReads {
  /** Public events beyond `since`, ascending by seq. */
  abstract publicEvents(tenant: string, jobId: string, since: number): Promise<readonly TimelineEntry[]>;
}

export interface FoundJob {
  readonly job: JobView;
  readonly timeline: readonly TimelineEntry[];
  /** Of the job's last event in the log. */
  readonly position: bigint;
}

/** A job folded from its own stream: never behind, and never of another tenant. */
export abstract class JobStreams {
  abstract find(environment: Environment, tenant: string, jobId: string): Promise<FoundJob | undefined>;
}

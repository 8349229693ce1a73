import type { Environment } from '#domain/streams.js';
import type { Queries } from '#read-store/data-source.js';

/** A message that told an integrator of a job. */
export interface ToldOfJob {
  readonly occurred_at: Date;
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly type:
    | 'job.succeeded'
    | 'job.failed'
    | 'job.stage'
    | 'batch.finished'
    | 'credits.low'
    | 'webhook.disabled'
    | 'webhook.test';
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
}

/** What a capability has told integrators of jobs. */
export interface TellsOfJobs {
  /** The oldest first. */
  ofJob(database: Queries, environment: Environment, tenant: string, jobId: string): Promise<ToldOfJob[]>;

  /** The job that a message told of; undefined where there is no such message, or it told of something else. */
  jobOf(database: Queries, environment: Environment, deliveryId: string): Promise<string | undefined>;
}

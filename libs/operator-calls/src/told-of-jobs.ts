import type { Environment } from '#domain/streams.js';
import type { Queries } from '#read-store/data-source.js';

/** A message to an integrator about a job. */
export interface ToldOfJob {
  readonly occurred_at: Date;
  readonly delivery_id: string;
  readonly endpoint_id: string;
  /** The topic. */
  readonly type: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
}

/** A capability's record of messages about jobs. */
export interface TellsOfJobs {
  /** Oldest first. */
  ofJob(database: Queries, environment: Environment, tenant: string, jobId: string): Promise<ToldOfJob[]>;

  /** The job of a message; undefined if there is no such message, or it was about something else. */
  jobOf(database: Queries, environment: Environment, deliveryId: string): Promise<string | undefined>;
}

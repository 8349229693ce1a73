import type { TestOutcome } from '#domain/job/job.events.js';
import type { Caller } from '../caller.js';

/** A validated request for one workflow. */
export interface DispatchRequest {
  readonly caller: Caller;
  /** A name of the workflow table. */
  readonly operation: string;
  readonly endpoint: string;
  /** In the caller's own field names; absent fields are absent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: Date;
  /** The path that the job is to take; with keys of the test environment only. */
  readonly testOutcome?: TestOutcome;
  readonly traceparent?: string;
}

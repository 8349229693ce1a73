import type { Environment } from '#domain/streams.js';
import type { QueueKind } from '#render-queue/render-queue.js';

/** A job whose pictures wait to be pushed. It is only a pointer: the log says what and where to. */
export interface PushTask {
  readonly environment: Environment;
  readonly tenant: string;
  readonly jobId: string;
  /** How often the push began anew. */
  readonly round: number;
}

export const pushTasks: QueueKind<PushTask> = {
  name: 'bucket-pushes',
  idOf: ({ environment, jobId, round }) => `${environment}/${jobId}/${round}`,
  groupOf: ({ tenant }) => tenant,
  // A longer wait after a crash costs less than idle workers that look often.
  pollFactor: 6,
  // Interrupted pushes are made again.
  graceMs: 1_000,
};

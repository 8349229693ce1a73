import type { Environment } from '#domain/streams.js';
import type { QueueKind } from '#render-queue/render-queue.js';

/** The calls of an erasure's jobs whose vendors have to be asked. It is only a pointer: the log has the calls. */
export interface VendorErasureTask {
  readonly environment: Environment;
  readonly tenant: string;
  readonly erasureId: string;
}

export const vendorErasureTasks: QueueKind<VendorErasureTask> = {
  name: 'vendor-erasures',
  idOf: ({ environment, erasureId }) => `${environment}/${erasureId}`,
  groupOf: ({ tenant }) => tenant,
  // It is not urgent.
  pollFactor: 6,
  // Interrupted calls are made again.
  graceMs: 1_000,
};

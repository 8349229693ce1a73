import type { Environment } from '#domain/streams.js';
import type { QueueKind } from '#render-queue/render-queue.js';

/** One webhook delivery that waits for a call of its endpoint. Only a pointer: what to send stands in its row. */
export interface DeliveryTask {
  readonly environment: Environment;
  readonly endpointId: string;
  readonly deliveryId: string;
  /** How often it was asked to be sent again. */
  readonly round: number;
}

export const deliveryTasks: QueueKind<DeliveryTask> = {
  name: 'webhooks',
  idOf: ({ environment, deliveryId, round }) => `${environment}/${deliveryId}/${round}`,
  groupOf: ({ endpointId }) => endpointId,
  // A delivery that waits longer after a crash costs less than idle workers that look often.
  pollFactor: 6,
  // Calls that are cut are made again.
  graceMs: 1_000,
};

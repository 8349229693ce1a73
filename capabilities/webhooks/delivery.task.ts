import type { Environment } from '#domain/streams.js';
import type { QueueKind } from '#render-queue/render-queue.js';

/**
 * One webhook delivery that waits for a call of its endpoint. It is only a pointer: the message is in the
 * delivery's row.
 */
export interface DeliveryTask {
  readonly environment: Environment;
  readonly endpointId: string;
  readonly deliveryId: string;
  /** How often a caller has requested to send it again. */
  readonly round: number;
}

export const deliveryTasks: QueueKind<DeliveryTask> = {
  name: 'webhooks',
  idOf: ({ environment, deliveryId, round }) => `${environment}/${deliveryId}/${round}`,
  groupOf: ({ endpointId }) => endpointId,
  // A longer wait after a crash costs less than idle workers that look often.
  pollFactor: 6,
  // Interrupted calls are made again.
  graceMs: 1_000,
};

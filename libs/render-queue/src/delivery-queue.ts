import type { Environment } from '#domain/streams.js';
import { TaskQueue } from './render-queue.js';

/** One webhook delivery that waits for a call of its endpoint. Only a pointer: what to send stands in its row. */
export interface DeliveryTask {
  readonly environment: Environment;
  readonly endpointId: string;
  readonly deliveryId: string;
  /** How often it was asked to be sent again. */
  readonly round: number;
}

/** Webhook deliveries, those of one endpoint a few at a time. A delivery that has ended is left, so twice does no harm. */
export abstract class DeliveryQueue extends TaskQueue<DeliveryTask> {}

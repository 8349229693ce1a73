import { TaskQueue, TaskQueues } from '#render-queue/render-queue.js';
import { deliveryTasks, type DeliveryTask } from './delivery.task.js';

/**
 * Webhook deliveries, a few at a time for each endpoint. A delivery that has ended is skipped, so a second task
 * does no harm.
 */
export abstract class DeliveryQueue extends TaskQueue<DeliveryTask> {}

export const deliveryQueueProvider = {
  provide: DeliveryQueue,
  inject: [TaskQueues],
  useFactory: (queues: TaskQueues): DeliveryQueue => queues.of(deliveryTasks),
};

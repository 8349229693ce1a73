import { TaskQueue, TaskQueues } from '#render-queue/render-queue.js';
import { deliveryTasks, type DeliveryTask } from './delivery.task.js';

/** Webhook deliveries, those of one endpoint a few at a time. A delivery that has ended is left, so twice does no harm. */
export abstract class DeliveryQueue extends TaskQueue<DeliveryTask> {}

export const deliveryQueueProvider = {
  provide: DeliveryQueue,
  inject: [TaskQueues],
  useFactory: (queues: TaskQueues): DeliveryQueue => queues.of(deliveryTasks),
};

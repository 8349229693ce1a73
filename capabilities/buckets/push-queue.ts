import { TaskQueue, TaskQueues } from '#render-queue/render-queue.js';
import { pushTasks, type PushTask } from './push.task.js';

/** Pushes, a few at a time for each tenant. One that has ended is skipped, so a second task does no harm. */
export abstract class PushQueue extends TaskQueue<PushTask> {}

export const pushQueueProvider = {
  provide: PushQueue,
  inject: [TaskQueues],
  useFactory: (queues: TaskQueues): PushQueue => queues.of(pushTasks),
};

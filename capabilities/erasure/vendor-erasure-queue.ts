import { TaskQueue, TaskQueues } from '#render-queue/render-queue.js';
import { vendorErasureTasks, type VendorErasureTask } from './vendor-erasure.task.js';

/** Erasures whose vendors have to be asked. Only workers have the vendors' keys. */
export abstract class VendorErasureQueue extends TaskQueue<VendorErasureTask> {}

export const vendorErasureQueueProvider = {
  provide: VendorErasureQueue,
  inject: [TaskQueues],
  useFactory: (queues: TaskQueues): VendorErasureQueue => queues.of(vendorErasureTasks),
};

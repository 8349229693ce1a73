import type { Capability } from '../capability.js';
import { bucketFamily } from './bucket.events.js';
import type { PushLevel } from './buckets-health.js';
import { readBucketSettings } from './buckets.settings.js';
import { pushDispatcherFollows } from './push-dispatcher.follows.js';
import { pushTasks } from './push.task.js';

const events = [bucketFamily] as const;

interface BucketsTold {
  readonly check: never;
  readonly audit: never;
  readonly now: PushLevel[];
}

/** Pictures are pushed to a bucket of their tenant. */
export const buckets: Capability<
  'buckets',
  typeof events,
  ReturnType<typeof readBucketSettings>,
  BucketsTold
> = {
  name: 'buckets',
  events,
  settings: readBucketSettings,
  modules: {
    api: async () => ({ module: (await import('./buckets.api.js')).BucketsApiModule }),
    worker: async () => ({ module: (await import('./buckets.worker.js')).BucketsWorkerModule }),
    projector: async () => ({ module: (await import('./buckets.projector.js')).BucketsProjectorModule }),
  },
  processManagers: [
    { ...pushDispatcherFollows, load: async () => (await import('./push-dispatcher.js')).PushDispatcher },
  ],
  housekeeping: [async () => (await import('./push-care.js')).PushCare],
  queues: [pushTasks],
  nouns: {
    buckets: {
      about: 'where the pictures of tenants are pushed',
      calls: [() => import('./buckets.calls.js')],
    },
  },
  folds: { bucket: async () => (await import('./bucket.fold.js')).bucketFold },
  tags: [['bucket', 'Your bucket, to which the pictures of your jobs are pushed.']],
  health: async () => (await import('./buckets-health.js')).bucketsHealth,
};

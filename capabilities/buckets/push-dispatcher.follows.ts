import type { Follows } from '#application/process-managers/process-manager.js';

export const pushDispatcher = 'push-dispatcher';

export const pushDispatcherFollows: Follows = {
  name: pushDispatcher,
  types: ['JobSucceeded', 'JobErased', 'BucketConnected', 'BucketDisconnected'],
  categories: ['job', 'bucket'],
};

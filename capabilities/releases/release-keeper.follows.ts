import type { Follows } from '#application/process-managers/process-manager.js';

export const releaseKeeper = 'release-keeper';

export const releaseKeeperFollows: Follows = {
  name: releaseKeeper,
  types: [
    'ModelReleaseGranted',
    'ModelReleaseRevised',
    'ModelReleaseWithdrawn',
    'ModelReleaseExpired',
    'ModelReleaseErased',
    'ReleasesRequired',
    'ReleasesMadeOptional',
    'JobQueued',
  ],
  categories: ['release', 'consent', 'job'],
};

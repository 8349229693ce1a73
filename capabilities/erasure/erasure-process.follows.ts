import type { Follows } from '#application/process-managers/process-manager.js';

export const erasureProcess = 'erasures';

export const erasureProcessFollows: Follows = {
  name: erasureProcess,
  types: ['ErasureRequested'],
  categories: ['erasure'],
};

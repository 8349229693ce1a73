import type { Capability } from '../capability.js';
import { erasureProcessFollows } from './erasure-process.follows.js';
import { erasureFamily } from './erasure.events.js';
import { readErasureSettings } from './erasure.settings.js';

const events = [erasureFamily] as const;

/** Pictures, jobs and products that are erased when their owner asks (ADR 54). */
export const erasure: Capability<'erasure', typeof events, ReturnType<typeof readErasureSettings>> = {
  name: 'erasure',
  events,
  settings: readErasureSettings,
  modules: {
    api: async () => ({ module: (await import('./erasure.api.js')).ErasureApiModule }),
    projector: async () => ({ module: (await import('./erasure.projector.js')).ErasureProjectorModule }),
  },
  readModels: async () => [(await import('./picture-uses.read-model.js')).pictureUsesReadModel],
  processManagers: [
    {
      ...erasureProcessFollows,
      load: async () => (await import('./erasure-process.js')).ErasureProcess,
    },
  ],
  housekeeping: [async () => (await import('./late-pictures.js')).LatePictures],
  nouns: {
    erasures: {
      about: 'what was erased for good',
      calls: [],
      verbs: async () => (await import('./erasures-verbs.js')).addErasureVerbs,
    },
  },
  redone: async () => (await import('./redone-erasures.js')).redoneErasures,
  folds: { erasure: async () => (await import('./erasure.fold.js')).erasureFold },
  tags: [['erasures', 'Erase your pictures, jobs and products for good.']],
};

import type { Capability } from '../capability.js';
import { erasureProcessFollows } from './erasure-process.follows.js';
import { erasureFamily } from './erasure.events.js';
import { readErasureSettings } from './erasure.settings.js';
import { expiringNotice } from './expiring.notice.js';
import { legalHoldFamily, retentionFamily } from './keeping.events.js';
import { readKeepingSettings, type KeepingSettings } from './keeping.settings.js';

const events = [erasureFamily, legalHoldFamily, retentionFamily] as const;

type Settings = ReturnType<typeof readErasureSettings> & { readonly keeping: KeepingSettings };

/** Pictures, jobs and products that are erased when their owner asks (ADR 55) or their time is over (ADR 57). */
export const erasure: Capability<'erasure', typeof events, Settings> = {
  name: 'erasure',
  events,
  settings: (settings) => ({ ...readErasureSettings(settings), ...readKeepingSettings(settings) }),
  modules: {
    api: async () => ({ module: (await import('./erasure.api.js')).ErasureApiModule }),
    projector: async () => ({ module: (await import('./erasure.projector.js')).ErasureProjectorModule }),
  },
  readModels: async () => [
    (await import('./picture-uses.read-model.js')).pictureUsesReadModel,
    ...(await import('./keeping/keeping.read-models.js')).keepingReadModels,
  ],
  processManagers: [
    {
      ...erasureProcessFollows,
      load: async () => (await import('./erasure-process.js')).ErasureProcess,
    },
  ],
  housekeeping: [
    async () => (await import('./late-pictures.js')).LatePictures,
    async () => (await import('./keeping/expiry.js')).Expiry,
  ],
  nouns: {
    erasures: {
      about: 'what was erased for good',
      calls: [],
      verbs: async () => (await import('./erasures-verbs.js')).addErasureVerbs,
    },
    retention: {
      about: 'for how long things are kept',
      calls: [() => import('./keeping/retention.calls.js')],
    },
    holds: {
      about: 'what may not be erased for now',
      calls: [() => import('./keeping/holds.calls.js')],
    },
  },
  notices: [expiringNotice],
  redone: async () => (await import('./redone-erasures.js')).redoneErasures,
  folds: {
    erasure: async () => (await import('./erasure.fold.js')).erasureFold,
    hold: async () => (await import('./keeping/keeping.fold.js')).holdFold,
    retention: async () => (await import('./keeping/keeping.fold.js')).retentionFold,
  },
  tags: [['erasures', 'Erase your pictures, jobs and products for good.']],
};

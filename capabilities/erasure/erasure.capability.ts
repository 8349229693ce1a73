import type { Capability } from '../capability.js';
import { closingFamily } from './closing.events.js';
import { erasureProcessFollows } from './erasure-process.follows.js';
import { erasureFamily } from './erasure.events.js';
import { readErasureSettings } from './erasure.settings.js';
import { expiringNotice } from './expiring.notice.js';
import { legalHoldFamily, retentionFamily } from './keeping.events.js';
import { readKeepingSettings, type KeepingSettings } from './keeping.settings.js';

import { vendorErasureTasks } from './vendor-erasure.task.js';

const events = [erasureFamily, closingFamily, legalHoldFamily, retentionFamily] as const;

type Settings = ReturnType<typeof readErasureSettings> & { readonly keeping: KeepingSettings };

/** Pictures, jobs and products that are erased when their owner asks (ADR 55) or their time is over (ADR 57). */
export const erasure: Capability<'erasure', typeof events, Settings> = {
  name: 'erasure',
  events,
  settings: (settings) => ({ ...readErasureSettings(settings), ...readKeepingSettings(settings) }),
  modules: {
    api: async () => ({ module: (await import('./erasure.api.js')).ErasureApiModule }),
    projector: async () => ({ module: (await import('./erasure.projector.js')).ErasureProjectorModule }),
    worker: async () => ({ module: (await import('./erasure.worker.js')).ErasureWorkerModule }),
  },
  readModels: async () => [
    (await import('./picture-uses.read-model.js')).pictureUsesReadModel,
    ...(await import('./keeping/keeping.read-models.js')).keepingReadModels,
    (await import('./erasure-orders.read-model.js')).erasureOrdersReadModel,
    (await import('./closing/closings.read-model.js')).closingsReadModel,
  ],
  processManagers: [
    {
      ...erasureProcessFollows,
      load: async () => (await import('./erasure-process.js')).ErasureProcess,
    },
  ],
  reuseChecks: [async () => (await import('./keeping/reused-uploads.js')).ReusedUploads],
  housekeeping: [
    async () => (await import('./late-pictures.js')).LatePictures,
    async () => (await import('./keeping/expiry.js')).Expiry,
    async () => (await import('./unfinished-erasures.js')).UnfinishedErasures,
    async () => (await import('./vendor-erasure-care.js')).VendorErasureCare,
    async () => (await import('./closing/close-tenants.js')).CloseTenants,
  ],
  queues: [vendorErasureTasks],
  nouns: {
    erasures: {
      about: 'what was erased for good',
      calls: [() => import('./erasures.calls.js')],
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
    tenants: { calls: [() => import('./closing/closings.calls.js')] },
  },
  notices: [expiringNotice],
  redone: async () => (await import('./redone-erasures.js')).redoneErasures,
  copies: async () => (await import('./sealed-copies.js')).sealedCopies,
  folds: {
    erasure: async () => (await import('./erasure.fold.js')).erasureFold,
    hold: async () => (await import('./keeping/keeping.fold.js')).holdFold,
    retention: async () => (await import('./keeping/keeping.fold.js')).retentionFold,
    closing: async () => (await import('./closing/closing.fold.js')).closingFold,
  },
  tags: [['erasures', 'Erase your pictures, jobs and products for good.']],
};

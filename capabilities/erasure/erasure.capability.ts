import type { Capability } from '../capability.js';
import { closingFamily } from './closing/closing.events.js';
import { erasureProcessFollows } from './erasure-process.follows.js';
import { erasureFamily } from './erasure.events.js';
import { readErasureSettings } from './erasure.settings.js';
import { vendorErasureTasks } from './vendor-erasure.task.js';

const events = [erasureFamily, closingFamily] as const;

/** Pictures, jobs and products that are erased when their owner asks (ADR 54). */
export const erasure: Capability<'erasure', typeof events, ReturnType<typeof readErasureSettings>> = {
  name: 'erasure',
  events,
  settings: readErasureSettings,
  modules: {
    api: async () => ({ module: (await import('./erasure.api.js')).ErasureApiModule }),
    projector: async () => ({ module: (await import('./erasure.projector.js')).ErasureProjectorModule }),
    worker: async () => ({ module: (await import('./erasure.worker.js')).ErasureWorkerModule }),
  },
  readModels: async () => [
    (await import('./picture-uses.read-model.js')).pictureUsesReadModel,
    (await import('./erasure-orders.read-model.js')).erasureOrdersReadModel,
    (await import('./closing/closings.read-model.js')).closingsReadModel,
  ],
  processManagers: [
    {
      ...erasureProcessFollows,
      load: async () => (await import('./erasure-process.js')).ErasureProcess,
    },
  ],
  housekeeping: [
    async () => (await import('./late-pictures.js')).LatePictures,
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
    tenants: { calls: [() => import('./closing/closings.calls.js')] },
  },
  redone: async () => (await import('./redone-erasures.js')).redoneErasures,
  folds: {
    erasure: async () => (await import('./erasure.fold.js')).erasureFold,
    closing: async () => (await import('./closing/closing.fold.js')).closingFold,
  },
  tags: [['erasures', 'Erase your pictures, jobs and products for good.']],
};

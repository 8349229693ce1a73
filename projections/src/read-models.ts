import { readModelsOfCapabilities } from '#capabilities/parts.js';
import type { EntityClass, ReadModel } from '#read-store/read-model.js';
import { assetsReadModel } from './assets/assets.read-model.js';
import { callsReadModel } from './calls/calls.read-model.js';
import { catalogReadModel } from './catalog/catalog.read-model.js';
import { jobsReadModel } from './jobs/jobs.read-model.js';
import { keysReadModel } from './keys/keys.read-model.js';
import { ledgerReadModel } from './ledger/ledger.read-model.js';
import { presetsReadModel } from './presets/presets.read-model.js';
import { productsReadModel } from './products/products.read-model.js';
import { rendersReadModel } from './renders/renders.read-model.js';
import { timelineReadModel } from './timeline/timeline.read-model.js';
import { usageReadModel } from './usage/usage.read-model.js';

/** All read models of an environment, those of capabilities included: what the projector runs. */
export const readModels: readonly ReadModel<object>[] = [
  jobsReadModel,
  timelineReadModel,
  usageReadModel,
  ledgerReadModel,
  rendersReadModel,
  keysReadModel,
  assetsReadModel,
  presetsReadModel,
  catalogReadModel,
  productsReadModel,
  callsReadModel,
  ...(await readModelsOfCapabilities()),
];

/** The entities that `createDataSource` needs for the readers. */
export const readModelEntities: readonly EntityClass[] = readModels.map((model) => model.entity);

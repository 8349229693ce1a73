import { processManagers } from '#application/process-managers/process-managers.js';
import { readModels } from '#projections/read-models.js';
import { consumersOf } from '#read-store/consumers.js';

/** All that the projector runs. */
export const consumers = consumersOf(readModels, processManagers);

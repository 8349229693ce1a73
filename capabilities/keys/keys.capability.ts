import type { Capability } from '../capability.js';

/** A tenant's view of its own keys: what each may do, and what it has spent. */
export const keys: Capability<'keys', readonly []> = {
  name: 'keys',
  events: [],
  settings: () => ({}),
  modules: {
    api: async () => ({ module: (await import('./keys.api.js')).KeysApiModule }),
  },
  readModels: async () => [(await import('./key-charges.read-model.js')).keyChargesReadModel],
  nouns: {},
  tags: [['keys', 'Your keys, and what each has spent.']],
};

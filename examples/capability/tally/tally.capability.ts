import type { Capability } from '#capabilities/capability.js';

/** How many jobs each tenant has ordered of each workflow. */
export const tally: Capability<'tally', readonly []> = {
  name: 'tally',
  events: [],
  settings: () => ({}),
  modules: {
    api: async () => ({ module: (await import('./tally.api.js')).TallyApiModule }),
  },
  readModels: async () => [(await import('./tally.read-model.js')).tallyReadModel],
  nouns: {
    tally: { about: 'how much tenants have ordered', calls: [() => import('./tally.calls.js')] },
  },
  tags: [['tally', 'How much you have ordered.']],
};

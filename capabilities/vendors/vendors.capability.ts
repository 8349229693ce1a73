import type { Capability } from '../capability.js';
import { vendorFamilies } from './vendors.families.js';

/** Image models of vendors, of servers of one's own, and of packages (ADR 26, ADR 37, ADR 38). */
export const vendors: Capability<'vendors', readonly []> = {
  name: 'vendors',
  events: [],
  engines: vendorFamilies,
  settings: () => ({}),
  nouns: {
    models: {
      about: 'the image models that ATELIER_MODELS_FILE declares',
      calls: [() => import('./models.calls.js')],
    },
    costs: {
      about: "vendors' prices for pictures, beside the credits charged and refunded",
      calls: [() => import('./costs.calls.js')],
    },
  },
};

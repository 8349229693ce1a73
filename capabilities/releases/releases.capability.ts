import type { Capability } from '../capability.js';
import { consentFamily, releaseFamily } from './release.events.js';

const events = [releaseFamily, consentFamily] as const;

/** The consent of persons to the use of their pictures, and dispatches that need it. */
export const releases: Capability<'releases', typeof events> = {
  name: 'releases',
  events,
  settings: () => ({}),
  nouns: {},
  folds: {
    release: async () => (await import('./release.fold.js')).releaseFold,
    consent: async () => (await import('./release.fold.js')).consentFold,
  },
};

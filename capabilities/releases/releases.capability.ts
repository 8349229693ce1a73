import type { Capability } from '../capability.js';
import { consentFamily, releaseFamily } from './release.events.js';
import { releaseKeeperFollows } from './release-keeper.follows.js';

const events = [releaseFamily, consentFamily] as const;

/** The consent of persons to the use of their pictures, and dispatches that need it (ADR 54). */
export const releases: Capability<'releases', typeof events> = {
  name: 'releases',
  events,
  settings: () => ({}),
  modules: {
    api: async () => ({ module: (await import('./releases.api.js')).ReleasesApiModule }),
    projector: async () => ({ module: (await import('./releases.projector.js')).ReleasesProjectorModule }),
  },
  dispatchChecks: [async () => (await import('./release-check.js')).ReleaseCheck],
  readModels: async () => {
    const { releasesReadModel, releaseRulesReadModel } = await import('./releases.read-model.js');
    const { releaseUsesReadModel } = await import('./release-uses.read-model.js');
    return [releasesReadModel, releaseRulesReadModel, releaseUsesReadModel];
  },
  processManagers: [
    { ...releaseKeeperFollows, load: async () => (await import('./release-keeper.js')).ReleaseKeeper },
  ],
  housekeeping: [async () => (await import('./release-care.js')).ReleaseCare],
  nouns: {
    releases: {
      about: 'what persons allow to be done with their pictures',
      calls: [() => import('./releases.calls.js')],
    },
  },
  recordsOfPersons: async () => (await import('./releases-of-persons.js')).releasesOfPersons,
  tags: [['releases', 'What persons allow to be done with their pictures.']],
  folds: {
    release: async () => (await import('./release.fold.js')).releaseFold,
    consent: async () => (await import('./release.fold.js')).consentFold,
  },
};

import type { Capability } from '../capability.js';
import type { ProvenanceFacts } from './provenance-health.js';
import { readProvenanceSettings } from './provenance.settings.js';

interface ProvenanceTold {
  readonly check: never;
  readonly audit: never;
  readonly now: ProvenanceFacts;
}

/** One file holds the certificate and its key. */
const homeFile = 'provenance.pem';
const note =
  'Pictures are signed with a certificate that was made for this installation: verifiers will call it untrusted (docs/provenance.md).';
const make = async () => (await import('./home-certificate.js')).newHomeCertificate();

/** Signed statements in pictures that say where they come from (ADR 53). */
export const provenance: Capability<
  'provenance',
  readonly [],
  ReturnType<typeof readProvenanceSettings>,
  ProvenanceTold
> = {
  name: 'provenance',
  events: [],
  settings: readProvenanceSettings,
  secretFiles: [
    { setting: 'ATELIER_PROVENANCE_CERT', file: homeFile, make, note },
    { setting: 'ATELIER_PROVENANCE_KEY', file: homeFile, make },
  ],
  modules: {
    api: async () => ({ module: (await import('./provenance.api.js')).ProvenanceApiModule }),
    worker: async () => ({ module: (await import('./provenance.worker.js')).ProvenanceWorkerModule }),
  },
  pictureFinishers: [async () => (await import('./content-credentials.js')).ContentCredentials],
  credentialsIn: async () => (await import('./read-credentials.js')).readCredentials,
  likenessOf: async () => (await import('./picture-likeness.js')).likenessOfPicture,
  readModels: async () => [(await import('./likenesses.read-model.js')).likenessesReadModel],
  nouns: {
    provenance: {
      about: 'where pictures come from',
      calls: [() => import('./passport.calls.js')],
      verbs: async () => (await import('./provenance-verbs.js')).addProvenanceVerbs,
    },
  },
  tags: [['provenance', 'Where a picture comes from.']],
  health: async () => (await import('./provenance-health.js')).provenanceHealth,
};

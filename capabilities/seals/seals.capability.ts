import type { Capability } from '../capability.js';
import { sealStream } from './seal.events.js';
import { newSealKey } from './seal.key.js';
import type { SealsInReport } from './seals-audit.js';
import type { SealFacts } from './seals-health.js';
import { readSealSettings, type SealSettings } from './seals.settings.js';

const rules = {
  seals: [13, 'history is what was sealed, event for event and in its order'],
  'seal-chain': [13, 'the seals are one chain, each signed by its key, and those that were kept are in it'],
} as const;

/** The seals' parts of reports about the whole installation. */
interface SealsTold {
  readonly check: keyof typeof rules;
  readonly audit: SealsInReport;
  readonly now: SealFacts;
}

const verbs = () => import('./seal-verbs.js');

/** Signatures under the history: they prove that it was not altered (ADR 20, ADR 31). */
export const seals: Capability<'seals', readonly [], SealSettings, SealsTold> = {
  name: 'seals',
  events: [],
  logStreams: [sealStream],
  settings: readSealSettings,
  secretFiles: [
    { setting: 'ATELIER_SEAL_KEY', file: 'seal-key.pem', make: () => Promise.resolve(newSealKey()) },
  ],
  modules: {
    projector: async () => ({ module: (await import('./seals.projector.js')).SealsProjectorModule }),
  },
  signs: async () => (await import('./signs-statements.js')).signsStatements,
  sealOf: async () => (await import('./proof.js')).sealOf,
  checksProof: async () => (await import('./keys-and-proofs.js')).proofs,
  watchers: [{ name: 'seals', load: async () => (await import('./sealing.js')).Sealing }],
  nouns: {
    ledger: {
      calls: [() => import('./proofs.calls.js')],
      verbs: async () => (await verbs()).addProofVerbs,
    },
    seal: {
      about: 'the signatures under the history',
      calls: [() => import('./seals.calls.js')],
      verbs: async () => (await verbs()).addSealVerbs,
    },
  },
  audit: { rules, load: async () => (await import('./seals-audit.js')).sealsAudit },
  health: async () => (await import('./seals-health.js')).sealsHealth,
  copies: async () => (await import('./seal-copies.js')).sealCopies,
};

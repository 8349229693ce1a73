import type { EventFamily } from '../event-family.js';
import type { Environment } from '../environment.js';

/**
 * `mcp:spend`: agents may spend with the key over MCP; only live keys need it. `data:erase`: the key may erase pictures,
 * jobs and products for good.
 */
export type Capability = 'jobs:create' | 'jobs:read' | 'mcp:spend' | 'data:erase';

/** All accepted names of the capabilities; the older names mean the same. */
export const capabilityNames: ReadonlyMap<string, Capability> = new Map([
  ['jobs:create', 'jobs:create'],
  ['jobs:read', 'jobs:read'],
  ['mcp:spend', 'mcp:spend'],
  ['data:erase', 'data:erase'],
  ['ctm:create', 'jobs:create'],
  ['ctm:read', 'jobs:read'],
]);

/** Whether requests must be signed, and whether the signature must then name its time (docs/signed-requests.md). */
export type SignatureRule = boolean | 'timed';

/** The stored events of `{env}.key-{key}`. The secret itself is shown once and never stored. */
export type KeyEvent =
  | {
      type: 'ApiKeyIssued';
      data: {
        keyId: string;
        tenant: string;
        environment: Environment;
        capabilities: Capability[];
        label: string;
        /**
         * SHA-256 of the whole key, hexadecimal. The key has 160 random bits, so a slow hash would add nothing.
         */
        secretHash: string;
        /** Whether requests must be signed. Absent: they may be. */
        requiresSignature?: SignatureRule;
        at: string;
      };
    }
  /** The key was rotated. It works until `retiresAt`, so that clients can switch to its successor. */
  | { type: 'ApiKeyRetired'; data: { retiresAt: string; successorKeyId: string; at: string } }
  | { type: 'ApiKeyRevoked'; data: { reason: string; at: string } };

export const keyFamily: EventFamily<'key', KeyEvent> = {
  category: 'key',
  owner: 'tenant',
  idFields: { ApiKeyIssued: 'keyId' },
  upcasters: {
    ApiKeyIssued: [],
    ApiKeyRetired: [],
    ApiKeyRevoked: [],
  },
  personal: {
    ApiKeyIssued: { keyId: false, tenant: false, label: true, secretHash: false },
    ApiKeyRetired: { retiresAt: false, successorKeyId: false },
    ApiKeyRevoked: { reason: true },
  },
};

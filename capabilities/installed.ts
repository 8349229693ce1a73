import type { AnyCapability } from './capability.js';
import { buckets } from './buckets/buckets.capability.js';
import { erasure } from './erasure/erasure.capability.js';
import { keys } from './keys/keys.capability.js';
import { mcp } from './mcp/mcp.capability.js';
import { operate } from './operate/operate.capability.js';
import { provenance } from './provenance/provenance.capability.js';
import { releases } from './releases/releases.capability.js';
import { seals } from './seals/seals.capability.js';
import { signIn } from './sign-in/sign-in.capability.js';
import { vendors } from './vendors/vendors.capability.js';
import { webhooks } from './webhooks/webhooks.capability.js';

/** The capabilities of this installation. To leave one out, delete it from this list. */
const list = [
  buckets,
  erasure,
  keys,
  mcp,
  operate,
  provenance,
  releases,
  seals,
  signIn,
  vendors,
  webhooks,
] as const;

/** Each of them, as a type. */
export type Installed = (typeof list)[number];

export const installed: readonly AnyCapability[] = list;

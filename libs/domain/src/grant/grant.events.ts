import type { EventFamily } from '../event-family.js';
import type { PurchaseKind } from '../account/account.events.js';

/**
 * The stored events of `{env}.grant-{id}`. The id derives from the payment's reference, or else from the
 * Idempotency-Key, if there is one. A second delivery of the same payment therefore reaches the same stream.
 */
export type GrantEvent =
  | {
      type: 'GrantProposed';
      data: {
        grantId: string;
        tenant: string;
        kind: PurchaseKind;
        amount: number;
        label: string;
        /** The payment's name in the system that took it; null if there is none. */
        reference: string | null;
        /** Name of the operator. */
        by: string;
        /** Whether the amount is above the limit, so that a second operator must approve it. */
        needsApproval: boolean;
        at: string;
      };
    }
  | { type: 'GrantApproved'; data: { by: string; at: string } }
  | { type: 'GrantDeclined'; data: { by: string; reason: string; at: string } };

export const grantFamily: EventFamily<'grant', GrantEvent> = {
  category: 'grant',
  owner: 'tenant',
  idFields: { GrantProposed: 'grantId' },
  upcasters: {
    GrantProposed: [],
    GrantApproved: [],
    GrantDeclined: [],
  },
  personal: {
    // The reference finds a payment again, and makes the stream's id.
    GrantProposed: { grantId: false, tenant: false, label: true, reference: false, by: false },
    GrantApproved: { by: false },
    GrantDeclined: { by: false, reason: true },
  },
};

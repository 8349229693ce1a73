import type { EventFamily } from '../event-family.js';
import type { PurchaseKind } from '../account/account.events.js';

/**
 * The events of `{env}.grant-{id}`, as they are stored. The id derives from the payment's reference, or from the
 * Idempotency-Key, where there is one: whoever delivers the same payment again comes to the same stream.
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
        /** What the payment is called where it was made; null: there is none. */
        reference: string | null;
        /** Name of the operator. */
        by: string;
        /** Whether it is above the limit, so that another operator has to approve it. */
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
};

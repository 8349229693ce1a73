import type { EventFamily } from '#domain/event-family.js';
import type { OperatorRole } from '#operator-calls/operator-role.js';

/** The events of `live.operator-{name}`, as they are stored. Operators belong to the installation, not to an environment. */
export type OperatorEvent =
  | {
      type: 'OperatorAdded';
      data: {
        name: string;
        role: OperatorRole;
        /** SHA-256 of the token, hexadecimal; null for people who use only the login of their organisation. */
        tokenHash: string | null;
        expiresAt: string;
        at: string;
      };
    }
  | { type: 'OperatorRevoked'; data: { reason: string; at: string } };

export const operatorFamily: EventFamily<'operator', OperatorEvent> = {
  category: 'operator',
  owner: 'installation',
  idFields: { OperatorAdded: 'name' },
  upcasters: {
    OperatorAdded: [],
    OperatorRevoked: [],
  },
  personal: {
    // The name is the stream's id.
    OperatorAdded: { name: false, tokenHash: false, expiresAt: false },
    OperatorRevoked: { reason: true },
  },
};

import type { EventFamily } from '../event-family.js';

/** What an operator may do beside reading. `admin` may do everything. */
export type OperatorRole = 'read' | 'support' | 'finance' | 'admin';

export const operatorRoles: readonly OperatorRole[] = ['read', 'support', 'finance', 'admin'];

/** The events of `live.operator-{name}`, as they are stored. Operators belong to the installation, not to an environment. */
export type OperatorEvent =
  | {
      type: 'OperatorAdded';
      data: {
        name: string;
        role: OperatorRole;
        /** SHA-256 of the token, hexadecimal; null for those who come with the login of their organisation only. */
        tokenHash: string | null;
        expiresAt: string;
        at: string;
      };
    }
  | { type: 'OperatorRevoked'; data: { reason: string; at: string } };

/** How an action ended: `refused` says that a rule was in the way and nothing happened. */
export type ActionOutcome = 'done' | 'refused' | 'failed';

/** The events of `live.action-{id}`: what an operator asked for, before it is done, and how it ended. */
export type ActionEvent =
  | {
      type: 'ActionRequested';
      data: {
        /** The verb of the command, for example `credits grant`. */
        action: string;
        /** The operator's name. */
        by: string;
        input: Record<string, unknown>;
        at: string;
      };
    }
  | {
      type: 'ActionEnded';
      data: {
        outcome: ActionOutcome;
        /** What went wrong, or what came of a long run; null where the events of the action say it all. */
        summary: string | null;
        at: string;
      };
    };

export const operatorFamily: EventFamily<'operator', OperatorEvent> = {
  category: 'operator',
  owner: 'installation',
  idFields: { OperatorAdded: 'name' },
  upcasters: {
    OperatorAdded: [],
    OperatorRevoked: [],
  },
};

export const actionFamily: EventFamily<'action', ActionEvent> = {
  category: 'action',
  owner: 'installation',
  idFields: {},
  upcasters: {
    ActionRequested: [],
    ActionEnded: [],
  },
};

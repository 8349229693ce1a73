import type { EventFamily } from '../event-family.js';

/** How an action ended. `refused`: a rule forbade it, and nothing happened. */
export type ActionOutcome = 'done' | 'refused' | 'failed';

/** The events of `live.action-{id}`: an operator's request before it is carried out, and its outcome. */
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
        /** The error, or the result of a long run; null if the action's own events say it all. */
        summary: string | null;
        at: string;
      };
    };

export const actionFamily: EventFamily<'action', ActionEvent> = {
  category: 'action',
  owner: 'installation',
  idFields: {},
  upcasters: {
    ActionRequested: [],
    ActionEnded: [],
  },
  personal: {
    // An operator's name is also the id of the operator's stream.
    ActionRequested: { action: false, by: false, input: true },
    ActionEnded: { summary: true },
  },
};

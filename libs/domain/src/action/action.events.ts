import type { EventFamily } from '../event-family.js';

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

export const actionFamily: EventFamily<'action', ActionEvent> = {
  category: 'action',
  owner: 'installation',
  idFields: {},
  upcasters: {
    ActionRequested: [],
    ActionEnded: [],
  },
};

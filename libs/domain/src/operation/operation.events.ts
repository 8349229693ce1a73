import type { EventFamily } from '../event-family.js';

/** The events of `{env}.operation-{name}`, as they are stored: what the operator decided beside the workflow table. */
export type OperationEvent =
  | { type: 'OperationPriced'; data: { credits: number; reason: string; at: string } }
  | {
      type: 'OperationPriceScheduled';
      data: {
        /** Null: what was scheduled for then is withdrawn. */
        credits: number | null;
        /** The instant from which it counts. */
        from: string;
        reason: string;
        at: string;
      };
    }
  | { type: 'OperationEnabled'; data: { reason: string; at: string } }
  | { type: 'OperationDisabled'; data: { reason: string; at: string } };

export const operationFamily: EventFamily<'operation', OperationEvent> = {
  category: 'operation',
  owner: 'installation',
  idFields: {},
  upcasters: {
    OperationPriced: [],
    OperationPriceScheduled: [],
    OperationEnabled: [],
    OperationDisabled: [],
  },
};

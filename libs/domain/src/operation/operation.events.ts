import type { EventFamily } from '../event-family.js';

/** The stored events of `{env}.operation-{name}`: the operator's decisions on top of the workflow table. */
export type OperationEvent =
  | { type: 'OperationPriced'; data: { credits: number; reason: string; at: string } }
  | {
      type: 'OperationPriceScheduled';
      data: {
        /** Null: the price that was scheduled for this instant is withdrawn. */
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
  personal: {
    // About prices of the installation, not about people.
    OperationPriced: { reason: false },
    OperationPriceScheduled: { from: false, reason: false },
    OperationEnabled: { reason: false },
    OperationDisabled: { reason: false },
  },
};

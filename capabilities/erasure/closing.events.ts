import type { EventFamily } from '#domain/event-family.js';

/**
 * The stored events of `{env}.closing-{tenant}`. A tenant is closed in each environment by itself. `by` names an operator.
 */
export type ClosingEvent =
  | { type: 'TenantClosingProposed'; data: { tenant: string; noticeDays: number; by: string; at: string } }
  | {
      type: 'TenantClosingApproved';
      data: {
        by: string;
        /** The end of the notice period. */
        dueAt: string;
        /** Whether the account was suspended before: a cancelled closing leaves it so. */
        suspended: boolean;
        at: string;
      };
    }
  | { type: 'TenantClosingCancelled'; data: { by: string; at: string } }
  /** The notice period is over. It cannot be cancelled any more. */
  | { type: 'TenantClosingBegun'; data: { at: string } }
  | { type: 'TenantClosed'; data: { at: string } };

export const closingFamily: EventFamily<'closing', ClosingEvent> = {
  category: 'closing',
  owner: 'tenant',
  idFields: { TenantClosingProposed: 'tenant' },
  upcasters: {
    TenantClosingProposed: [],
    TenantClosingApproved: [],
    TenantClosingCancelled: [],
    TenantClosingBegun: [],
    TenantClosed: [],
  },
  personal: {
    TenantClosingProposed: { tenant: false, by: false },
    TenantClosingApproved: { by: false, dueAt: false },
    TenantClosingCancelled: { by: false },
    TenantClosingBegun: {},
    TenantClosed: {},
  },
};

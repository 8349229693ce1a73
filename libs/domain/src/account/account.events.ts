import type { EventFamily } from '../event-family.js';

/** Why a charge was refunded. `orphaned`: it was debited, but its job never came. */
export type RefundReason = 'job-failed' | 'job-cancelled' | 'orphaned';

export type PurchaseKind = 'subscription' | 'pack';

/** The limits of an account's spending. 0 means: no cap, no quota. */
export interface AccountTerms {
  plan: string;
  dailySpendCapCredits: number;
  monthlyCreditQuota: number;
  rateLimitPerMin: number;
}

/** The stored events of `{env}.account-{tenant}`. `at` is the time of the event (ISO 8601, UTC). */
export type AccountEvent =
  | { type: 'AccountOpened'; data: AccountTerms & { tenant: string; name: string; at: string } }
  | { type: 'PlanChanged'; data: AccountTerms & { at: string } }
  | {
      type: 'CreditsPurchased';
      data: {
        purchaseId: string;
        kind: PurchaseKind;
        amount: number;
        label: string;
        /** The grant that this purchase fulfils, see `grant/`. Absent for purchases without a grant. */
        grantId?: string;
        at: string;
      };
    }
  /** Credits taken back: the balance falls by `amount`. */
  | { type: 'CreditsCorrected'; data: { correctionId: string; amount: number; reason: string; at: string } }
  | {
      type: 'CreditsDebited';
      data: {
        /** Names the charge. Equal to the request's id if the request makes one charge. */
        chargeId: string;
        requestId: string;
        jobId: string;
        /** The batch's job, whose id the answer gave; set if the charge is for one photograph of a batch. */
        parentJobId?: string;
        /** The workflow's kebab-case name. */
        operation: string;
        /** The requested path, for the usage log and the ledger's label. */
        endpoint: string;
        amount: number;
        at: string;
      };
    }
  | { type: 'CreditsSettled'; data: { chargeId: string; jobId: string; amount: number; at: string } }
  | {
      type: 'CreditsRefunded';
      data: { chargeId: string; jobId: string; amount: number; reason: RefundReason; at: string };
    }
  | { type: 'AccountSuspended'; data: { reason: string; at: string } }
  | { type: 'AccountReactivated'; data: { at: string } };

/**
 * Settlements and refunds name only their charge. The single charge of a request has the request's id; several
 * charges (a batch) are named `{requestId}.{n}`. Request ids are ULIDs and contain no dot, so the reverse is
 * unambiguous.
 */
export function requestIdOfCharge(chargeId: string): string {
  return chargeId.split('.')[0] ?? chargeId;
}

export const accountFamily: EventFamily<'account', AccountEvent> = {
  category: 'account',
  owner: 'named-tenant',
  idFields: { AccountOpened: 'tenant' },
  upcasters: {
    AccountOpened: [],
    PlanChanged: [],
    CreditsPurchased: [],
    CreditsCorrected: [],
    CreditsDebited: [],
    CreditsSettled: [],
    CreditsRefunded: [],
    AccountSuspended: [],
    AccountReactivated: [],
  },
  personal: {
    AccountOpened: { tenant: false, name: true, plan: false },
    PlanChanged: { plan: false },
    CreditsPurchased: { purchaseId: false, label: true, grantId: false },
    CreditsCorrected: { correctionId: false, reason: true },
    CreditsDebited: {
      chargeId: false,
      requestId: false,
      jobId: false,
      parentJobId: false,
      operation: false,
      endpoint: false,
    },
    CreditsSettled: { chargeId: false, jobId: false },
    CreditsRefunded: { chargeId: false, jobId: false },
    AccountSuspended: { reason: true },
    AccountReactivated: {},
  },
};

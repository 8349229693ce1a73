import type { EventFamily } from '../event-family.js';

/** Why a charge was given back. `orphaned`: it was debited, but no job ever came of it. */
export type RefundReason = 'job-failed' | 'job-cancelled' | 'orphaned';

export type PurchaseKind = 'subscription' | 'pack';

/** What limits an account's spending. 0 means: no cap, no quota. */
export interface AccountTerms {
  plan: string;
  dailySpendCapCredits: number;
  monthlyCreditQuota: number;
  rateLimitPerMin: number;
}

/** The events of `{env}.account-{tenant}`, as they are stored. `at` is when it happened (ISO 8601, UTC). */
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
        /** The grant that it fulfils, see `grant/`. Absent for purchases that no operator has proposed. */
        grantId?: string;
        at: string;
      };
    }
  /** Credits that are taken back: `amount` is what the balance falls by. */
  | { type: 'CreditsCorrected'; data: { correctionId: string; amount: number; reason: string; at: string } }
  | {
      type: 'CreditsDebited';
      data: {
        /** Names the charge; equal to the request's id where a request makes one charge. */
        chargeId: string;
        requestId: string;
        jobId: string;
        /** The job that the request was answered with, where the charge is for one photograph of its batch. */
        parentJobId?: string;
        /** The workflow's kebab-case name. */
        operation: string;
        /** The path that was called, for the usage log and the ledger's label. */
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
 * Settlements and refunds name their charge only. A request that makes one charge gives it its own id; one that makes
 * several (a batch) names them `{requestId}.{n}`. Request ids are ULIDs and hold no dot, so the way back is certain.
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
};

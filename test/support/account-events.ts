import type { AccountEvent } from '#domain/account/account.events.js';

/**
 * Events for the specs of accounts: an account `acme`, at noon of one June day unless a spec says otherwise.
 */
export const noon = '2026-06-01T12:00:00.000Z';

export function opened(dailySpendCapCredits = 0): AccountEvent {
  return {
    type: 'AccountOpened',
    data: {
      tenant: 'acme',
      name: 'Acme',
      plan: 'standard',
      dailySpendCapCredits,
      monthlyCreditQuota: 0,
      rateLimitPerMin: 600,
      at: noon,
    },
  };
}

export function purchased(amount: number): AccountEvent {
  return {
    type: 'CreditsPurchased',
    data: { purchaseId: 'p1', kind: 'pack', amount, label: 'Starter', at: noon },
  };
}

export function debitOf(chargeId: string, amount: number, at = noon) {
  return {
    chargeId,
    requestId: chargeId,
    jobId: `job-of-${chargeId}`,
    operation: 'model-generator',
    endpoint: '/v1/model-generator',
    amount,
    at,
  };
}

export function debited(chargeId: string, amount: number, at = noon): AccountEvent {
  return { type: 'CreditsDebited', data: debitOf(chargeId, amount, at) };
}

export function settled(chargeId: string, amount: number): AccountEvent {
  return { type: 'CreditsSettled', data: { chargeId, jobId: `job-of-${chargeId}`, amount, at: noon } };
}

export function refunded(chargeId: string, amount: number): AccountEvent {
  return {
    type: 'CreditsRefunded',
    data: { chargeId, jobId: `job-of-${chargeId}`, amount, reason: 'job-failed', at: noon },
  };
}

export const suspended: AccountEvent = { type: 'AccountSuspended', data: { reason: 'unpaid', at: noon } };

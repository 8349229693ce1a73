import type { EventOfType } from '#domain/events.js';

let made = 0;

/** A purchase a minute after the one before. */
export function purchase(amount: number, label = 'Starter'): EventOfType<'CreditsPurchased'> {
  made += 1;
  const at = new Date(Date.UTC(2026, 0, 1, 0, made)).toISOString();
  return {
    type: 'CreditsPurchased',
    data: { purchaseId: `purchase-${made}`, kind: 'pack', amount, label, at },
  };
}

import { accept, type Decision } from '../decision.js';
import type { Account } from './account.js';
import type { AccountEvent, RefundReason } from './account.events.js';

export interface SettleCharge {
  readonly chargeId: string;
  readonly at: string;
}

export interface RefundCharge {
  readonly chargeId: string;
  readonly reason: RefundReason;
  readonly at: string;
}

/** Makes the charge final, because the job succeeded. Does nothing unless the charge is open. */
export function settleCharge(command: SettleCharge, account: Account): Decision<AccountEvent> {
  const charge = openCharge(account, command.chargeId);
  if (!charge) return accept();
  const { jobId, amount } = charge;
  return accept({
    type: 'CreditsSettled',
    data: { chargeId: command.chargeId, jobId, amount, at: command.at },
  });
}

/** Refunds exactly the charged amount. Does nothing unless the charge is open, so it cannot happen twice. */
export function refundCharge(command: RefundCharge, account: Account): Decision<AccountEvent> {
  const charge = openCharge(account, command.chargeId);
  if (!charge) return accept();
  const { jobId, amount } = charge;
  const { chargeId, reason, at } = command;
  return accept({ type: 'CreditsRefunded', data: { chargeId, jobId, amount, reason, at } });
}

function openCharge(account: Account, chargeId: string) {
  return account.status === 'unopened' ? undefined : account.charges.get(chargeId);
}

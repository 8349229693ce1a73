import { accept, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { Account } from './account.js';
import type { AccountEvent } from './account.events.js';

type Closing<Type extends 'CreditsSettled' | 'CreditsRefunded'> = Omit<
  EventOfType<Type>['data'],
  'jobId' | 'amount'
>;

/** Makes the charge final, because the job succeeded. Does nothing unless the charge is open. */
export function settleCharge(
  { chargeId, at }: Closing<'CreditsSettled'>,
  account: Account,
): Decision<AccountEvent> {
  const charge = openCharge(account, chargeId);
  return charge ? accept({ type: 'CreditsSettled', data: { chargeId, ...charge, at } }) : accept();
}

/** Refunds exactly the charged amount. Does nothing unless the charge is open, so it cannot happen twice. */
export function refundCharge(
  { chargeId, reason, at }: Closing<'CreditsRefunded'>,
  account: Account,
): Decision<AccountEvent> {
  const charge = openCharge(account, chargeId);
  return charge ? accept({ type: 'CreditsRefunded', data: { chargeId, ...charge, reason, at } }) : accept();
}

function openCharge(account: Account, id: string) {
  const charge = account.status === 'unopened' ? undefined : account.charges.get(id);
  return charge && { jobId: charge.jobId, amount: charge.amount };
}

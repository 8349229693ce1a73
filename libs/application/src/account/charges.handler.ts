import type { Account } from '#domain/account/account.js';
import type { RefundReason } from '#domain/account/account.events.js';
import { refundCharge, settleCharge } from '#domain/account/close-charge.js';
import { debitCredits, type DebitCredits, type DebitRejection } from '#domain/account/debit-credits.js';
import type { CommandContext } from '../command-context.js';
import { AccountCommand } from './account-command.handler.js';

export class MakeCharges extends AccountCommand<readonly DebitCredits[], DebitRejection> {
  decide(account: Account) {
    return debitCredits(this.data, account);
  }
}

export interface JobCharge {
  readonly chargeId: string;
  readonly tenant: string;
}

/** How a charge ends: final, or given back. */
export type ChargeEnd = JobCharge &
  ({ readonly kind: 'settle' } | { readonly kind: 'refund'; readonly reason: RefundReason });

/**
 * Closes a charge, unless it is closed. The command id derives from the charge and its end, so closing it again
 * repeats the same command.
 */
export class CloseCharge extends AccountCommand<ChargeEnd, never> {
  constructor(end: ChargeEnd, caused: Omit<CommandContext, 'commandId' | 'tenant'>) {
    super({ ...caused, tenant: end.tenant, commandId: `${end.kind}:${end.chargeId}` }, end);
  }

  decide(account: Account, at: string) {
    const { data: end } = this;
    const { chargeId } = end;
    return end.kind === 'settle'
      ? settleCharge({ chargeId, at }, account)
      : refundCharge({ chargeId, reason: end.reason, at }, account);
  }
}

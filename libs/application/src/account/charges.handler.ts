import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Account } from '#domain/account/account.js';
import type { RefundReason } from '#domain/account/account.events.js';
import { refundCharge, settleCharge } from '#domain/account/close-charge.js';
import { debitCredits, type DebitCredits, type DebitRejection } from '#domain/account/debit-credits.js';
import type { CommandContext } from '../command-context.js';
import { AccountCommand } from './account-command.handler.js';
import { AccountWriter } from './account-writer.js';

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
 * repeats the same command. Returns a position in the log at which the charge is closed.
 */
export class CloseCharge extends Command<bigint | undefined> {
  constructor(
    readonly end: ChargeEnd,
    readonly caused: Omit<CommandContext, 'commandId' | 'tenant'>,
  ) {
    super();
  }
}

@CommandHandler(CloseCharge)
export class CloseChargeHandler implements ICommandHandler<CloseCharge> {
  constructor(private readonly accounts: AccountWriter) {}

  async execute({ end, caused }: CloseCharge): Promise<bigint | undefined> {
    const { chargeId, tenant } = end;
    const context = { ...caused, tenant, commandId: `${end.kind}:${chargeId}` };
    const at = caused.at.toISOString();
    const verdict = await this.accounts.execute(context, (account) =>
      end.kind === 'settle'
        ? settleCharge({ chargeId, at }, account)
        : refundCharge({ chargeId, reason: end.reason, at }, account),
    );
    return verdict.kind === 'accepted' ? verdict.position : undefined;
  }
}

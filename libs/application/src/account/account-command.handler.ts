import { Command, CommandHandler } from '@nestjs/cqrs';
import type { Account } from '#domain/account/account.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import type { Decision } from '#domain/decision.js';
import type { StreamWrite } from '#event-store/event-store.js';
import type { CommandContext } from '../command-context.js';
import { type AccountVerdict, AccountWriter } from './account-writer.js';

/** A write on the account of `context.tenant` in `context.environment`. */
export abstract class AccountCommand<Data, Rejection> extends Command<AccountVerdict<Rejection>> {
  constructor(
    readonly context: CommandContext,
    readonly data: Data,
    /** Appended together with the account's events, or not at all. Only for a store with `appendTogether`. */
    readonly beside: readonly StreamWrite[] = [],
  ) {
    super();
  }

  abstract decide(account: Account, at: string): Decision<AccountEvent, Rejection>;
}

/** Handles every {@link AccountCommand}. Throws the errors of {@link AccountWriter.execute}. */
@CommandHandler(AccountCommand)
export class AccountCommandHandler {
  constructor(private readonly accounts: AccountWriter) {}

  execute<Rejection>(command: AccountCommand<unknown, Rejection>): Promise<AccountVerdict<Rejection>> {
    const { context, beside } = command;
    const at = context.at.toISOString();
    return this.accounts.execute(context, (account) => command.decide(account, at), beside);
  }
}

import { Module } from '@nestjs/common';
import { AccountWriter } from './account-writer.js';
import { CloseChargeHandler, MakeChargesHandler } from './charges.handler.js';
import { accountHandlers } from './manage-accounts.handler.js';

/** All writes to accounts, through the one writer of this process. */
@Module({
  providers: [AccountWriter, ...accountHandlers, MakeChargesHandler, CloseChargeHandler],
  exports: [AccountWriter],
})
export class AccountModule {}

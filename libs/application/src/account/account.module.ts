import { Module } from '@nestjs/common';
import { AccountCommandHandler } from './account-command.handler.js';
import { AccountWriter } from './account-writer.js';
import { CloseChargeHandler } from './charges.handler.js';

@Module({
  providers: [AccountWriter, AccountCommandHandler, CloseChargeHandler],
  exports: [AccountWriter],
})
export class AccountModule {}

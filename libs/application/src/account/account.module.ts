import { Module } from '@nestjs/common';
import { AccountCommandHandler } from './account-command.handler.js';
import { AccountWriter } from './account-writer.js';

@Module({
  providers: [AccountWriter, AccountCommandHandler],
  exports: [AccountWriter],
})
export class AccountModule {}

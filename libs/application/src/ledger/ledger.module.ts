import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { GetCreditsHandler } from '../credits/get-credits.handler.js';
import { ListUsageHandler } from '../usage/list-usage.handler.js';
import { RecordRejectionHandler } from '../usage/record-rejection.handler.js';
import { ListTransactionsHandler } from './list-transactions.handler.js';

/** What a caller sees of its account: balance, transactions, usage. */
@Module({
  imports: [AccountModule, ConsistencyModule],
  providers: [GetCreditsHandler, ListTransactionsHandler, ListUsageHandler, RecordRejectionHandler],
})
export class LedgerModule {}

import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { RecordRejectionHandler } from '../usage/record-rejection.handler.js';
import { AccountQueries } from './account-queries.js';

/** A caller's view of its account: balance, transactions, usage. */
@Module({
  imports: [AccountModule, ConsistencyModule],
  providers: [AccountQueries, RecordRejectionHandler],
  exports: [AccountQueries],
})
export class LedgerModule {}

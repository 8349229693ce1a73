import { Module } from '@nestjs/common';
import { Prices } from '../dispatch/dispatcher.js';
import { ListOperationsHandler } from './list-operations.handler.js';
import { operationHandlers } from './manage-operations.handler.js';
import { Operations } from './operations.js';

/** What each workflow costs, and whether it is enabled. */
@Module({
  providers: [
    Operations,
    { provide: Prices, useExisting: Operations },
    ListOperationsHandler,
    ...operationHandlers,
  ],
  exports: [Operations, Prices],
})
export class OperationModule {}

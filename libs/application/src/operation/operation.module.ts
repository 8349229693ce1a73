import { Module } from '@nestjs/common';
import { operationHandlers } from './manage-operations.handler.js';
import { Operations } from './operations.js';

/** What each workflow costs, and whether it is enabled. */
@Module({
  providers: [Operations, ...operationHandlers],
  exports: [Operations],
})
export class OperationModule {}

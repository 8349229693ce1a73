import { Module } from '@nestjs/common';
import { operationHandlers } from './manage-operations.handler.js';
import { Operations } from './operations.js';

/** The price of each workflow, and whether it is enabled. */
@Module({
  providers: [Operations, ...operationHandlers],
  exports: [Operations],
})
export class OperationModule {}

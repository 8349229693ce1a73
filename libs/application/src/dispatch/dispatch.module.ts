import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { OperationModule } from '../operation/operation.module.js';
import { PictureModule } from '../picture/picture.module.js';
import { DispatchWorkflowHandler, FoldedLog } from './dispatch-workflow.handler.js';
import { DispatchCheck } from './dispatch-check.js';
import { DispatchChecks } from './dispatch-checks.js';
import { Dispatcher } from './dispatcher.js';
import { DryRun } from './dry-run.js';
import { References } from './references.js';

@Module({
  imports: [AccountModule, ConsistencyModule, StreamCommandsModule, OperationModule, PictureModule],
  providers: [
    References,
    { provide: DispatchCheck, useClass: DispatchChecks },
    Dispatcher,
    FoldedLog,
    DispatchWorkflowHandler,
    DryRun,
  ],
  exports: [DryRun],
})
export class DispatchModule {}

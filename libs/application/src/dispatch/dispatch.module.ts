import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { JobWritesModule } from '../job/job-writes.handler.js';
import { OperationModule } from '../operation/operation.module.js';
import { PictureModule } from '../picture/picture.module.js';
import { DispatchWorkflowHandler } from './dispatch-workflow.handler.js';
import { Dispatcher } from './dispatcher.js';
import { DryRunHandler } from './dry-run.handler.js';
import { References } from './references.js';

/** Dispatching a workflow: references, charge, job; or what it would come to. */
@Module({
  imports: [AccountModule, JobWritesModule, OperationModule, PictureModule],
  providers: [References, Dispatcher, DispatchWorkflowHandler, DryRunHandler],
})
export class DispatchModule {}

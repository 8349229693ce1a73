import { BatchParents } from './batch-parents.js';
import { ChargeCloser } from './charge-closer.js';
import { RenderDispatcher } from './render-dispatcher.js';
import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { JobWritesModule } from '../job/job-writes.handler.js';

const managers = [RenderDispatcher, ChargeCloser, BatchParents];

/** What follows on events: each of these is told them in the order of the log, behind a checkpoint. */
@Module({ imports: [AccountModule, JobWritesModule], providers: managers, exports: managers })
export class ProcessManagersModule {}

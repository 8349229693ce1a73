import { BatchParents } from './batch-parents.js';
import { ChargeCloser } from './charge-closer.js';
import { RenderDispatcher } from './render-dispatcher.js';
import { StrandedJobs } from './stranded-jobs.js';
import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { StreamCommandsModule } from '../stream-commands.module.js';

const managers = [RenderDispatcher, ChargeCloser, BatchParents, StrandedJobs];

@Module({ imports: [AccountModule, StreamCommandsModule], providers: managers, exports: managers })
export class ProcessManagersModule {}

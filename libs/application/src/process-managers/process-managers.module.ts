import { BatchParents } from './batch-parents.js';
import { ChargeCloser } from './charge-closer.js';
import { RenderDispatcher } from './render-dispatcher.js';
import { StrandedJobs } from './stranded-jobs.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { Module } from '@nestjs/common';
import { AccountModule } from '../account/charges.handler.js';
import { JobWritesModule } from '../job/job-writes.handler.js';

const managers = [RenderDispatcher, ChargeCloser, BatchParents, WebhookDispatcher, StrandedJobs];

/** What follows on events, and finds what was left behind. */
@Module({ imports: [AccountModule, JobWritesModule], providers: managers, exports: managers })
export class ProcessManagersModule {}

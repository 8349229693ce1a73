import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { CancelJobHandler } from './cancel-job.handler.js';
import { JobQueries } from './job-queries.js';
import { JobWatch } from './job-watch.js';
import { StreamCommandsModule } from '../stream-commands.module.js';

@Module({
  imports: [AccountModule, ConsistencyModule, StreamCommandsModule],
  providers: [JobWatch, JobQueries, CancelJobHandler],
  exports: [JobQueries],
})
export class JobModule {}

import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ConsistencyModule } from '../consistency/read-your-writes.js';
import {
  AwaitJobHandler,
  FollowJobHandler,
  GetJobEventsHandler,
  GetJobHandler,
  ListJobsHandler,
  NotedJobStreams,
} from './job-queries.handler.js';
import { CancelJobHandler } from './cancel-job.handler.js';
import { JobWatch } from './job-watch.js';
import { JobWritesModule } from './job-writes.handler.js';

/** A caller's jobs: looked at, followed, cancelled. */
@Module({
  imports: [AccountModule, ConsistencyModule, JobWritesModule],
  providers: [
    JobWatch,
    NotedJobStreams,
    ListJobsHandler,
    GetJobHandler,
    GetJobEventsHandler,
    AwaitJobHandler,
    FollowJobHandler,
    CancelJobHandler,
  ],
})
export class JobModule {}

import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { AwaitJobHandler } from './await-job.handler.js';
import { CancelJobHandler } from './cancel-job.handler.js';
import { FollowJobHandler } from './follow-job.handler.js';
import { GetJobEventsHandler } from './get-job-events.handler.js';
import { GetJobHandler } from './get-job.handler.js';
import { JobWatch } from './job-watch.js';
import { JobWritesModule } from './job-writes.handler.js';
import { ListJobsHandler } from './list-jobs.handler.js';
import { NotedJobStreams } from './noted-job-streams.js';

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

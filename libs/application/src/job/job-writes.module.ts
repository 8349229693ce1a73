import { Module } from '@nestjs/common';
import {
  EndBatchHandler,
  FenceJobHandler,
  QueueJobHandler,
  ReportRenderHandler,
  StopJobHandler,
  TakeUpJobHandler,
} from './job-writes.handler.js';

/** All writes to jobs, for every role. */
@Module({
  providers: [
    QueueJobHandler,
    FenceJobHandler,
    StopJobHandler,
    EndBatchHandler,
    TakeUpJobHandler,
    ReportRenderHandler,
  ],
})
export class JobWritesModule {}

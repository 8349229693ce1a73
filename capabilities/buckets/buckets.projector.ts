import { Module } from '@nestjs/common';
import { BucketsModule } from './buckets.module.js';
import { PushCare } from './push-care.js';
import { PushDispatcher } from './push-dispatcher.js';
import { pushQueueProvider } from './push-queue.js';

/** Finds the jobs whose pictures have to be pushed. */
@Module({ imports: [BucketsModule], providers: [pushQueueProvider, PushDispatcher, PushCare] })
export class BucketsProjectorModule {}

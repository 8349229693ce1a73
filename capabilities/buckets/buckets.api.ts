import { Module } from '@nestjs/common';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { BucketsController } from './buckets.controller.js';
import { BucketsModule } from './buckets.module.js';

/** `/v1/bucket`. */
@Module({ imports: [ConsistencyModule, BucketsModule], controllers: [BucketsController] })
export class BucketsApiModule {}

import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { Pushes } from './pushes.js';
import { TenantBuckets } from './tenant-buckets.js';

/** Buckets of tenants: connecting and calling them, and the state of what is pushed to them. */
@Module({
  imports: [StreamCommandsModule],
  providers: [Pushes, TenantBuckets],
  exports: [Pushes, TenantBuckets],
})
export class BucketsModule {}

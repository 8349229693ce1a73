import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { Configuration } from '#platform/configuration.js';
import { Pushes } from './pushes.js';
import { TenantBuckets } from './tenant-buckets.js';

/** Buckets of tenants: connecting and calling them, and the state of what is pushed to them. */
@Module({
  imports: [StreamCommandsModule],
  providers: [
    Pushes,
    {
      provide: TenantBuckets,
      inject: [Configuration],
      useFactory: (configuration: Configuration) => new TenantBuckets(configuration),
    },
  ],
  exports: [Pushes, TenantBuckets],
})
export class BucketsModule {}

import { Module } from '@nestjs/common';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { KnownReleases } from './known-releases.js';
import { ReleaseCheck } from './release-check.js';
import { ReleaseRuleController, ReleasesController } from './releases.controller.js';
import { ReleasesModule } from './releases.module.js';

/** `/v1/releases` and `/v1/release-rule`, and the check of each dispatch about a person. */
@Module({
  imports: [ConsistencyModule, ReleasesModule],
  providers: [KnownReleases, ReleaseCheck],
  controllers: [ReleasesController, ReleaseRuleController],
})
export class ReleasesApiModule {}

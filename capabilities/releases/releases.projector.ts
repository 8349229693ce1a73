import { Module } from '@nestjs/common';
import { KnownReleases } from './known-releases.js';
import { ReleaseCare } from './release-care.js';
import { ReleaseKeeper } from './release-keeper.js';
import { ReleasesModule } from './releases.module.js';

/** Ends releases, and the jobs that they no longer allow. */
@Module({
  imports: [ReleasesModule],
  providers: [KnownReleases, ReleaseKeeper, ReleaseCare],
})
export class ReleasesProjectorModule {}

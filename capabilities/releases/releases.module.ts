import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { ReleasesReader } from './releases.reader.js';

/** Releases: granting, revising and ending them, and listing them and their uses. */
@Module({
  imports: [StreamCommandsModule],
  providers: [ReleasesReader],
  exports: [ReleasesReader],
})
export class ReleasesModule {}

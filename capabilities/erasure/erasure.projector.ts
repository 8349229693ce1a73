import { Module } from '@nestjs/common';
import { AfterRestore } from './after-restore.js';
import { ErasureModule } from './erasure.module.js';
import { ErasureProcess } from './erasure-process.js';
import { LatePictures } from './late-pictures.js';
import { DueThings } from './keeping/due-things.js';
import { Expiry } from './keeping/expiry.js';
import { ReachedReads } from './reached-reads.js';

/** Carries erasures out. */
@Module({
  imports: [ErasureModule],
  providers: [AfterRestore, DueThings, ErasureProcess, Expiry, LatePictures, ReachedReads],
})
export class ErasureProjectorModule {}

import { Module } from '@nestjs/common';
import { AfterRestore } from './after-restore.js';
import { ErasureModule } from './erasure.module.js';
import { ErasureProcess } from './erasure-process.js';
import { LatePictures } from './late-pictures.js';
import { ReachedReads } from './reached-reads.js';

/** Carries erasures out. */
@Module({
  imports: [ErasureModule],
  providers: [AfterRestore, ErasureProcess, LatePictures, ReachedReads],
})
export class ErasureProjectorModule {}

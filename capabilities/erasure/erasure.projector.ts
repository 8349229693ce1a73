import { Module } from '@nestjs/common';
import { AfterRestore } from './after-restore.js';
import { CloseTenants } from './closing/close-tenants.js';
import { ErasureModule } from './erasure.module.js';
import { ErasureProcess } from './erasure-process.js';
import { LatePictures } from './late-pictures.js';
import { DueThings } from './keeping/due-things.js';
import { Expiry } from './keeping/expiry.js';
import { UnfinishedErasures } from './unfinished-erasures.js';
import { VendorErasureCare } from './vendor-erasure-care.js';
import { vendorErasureQueueProvider } from './vendor-erasure-queue.js';

/** Carries erasures out. */
@Module({
  imports: [ErasureModule],
  providers: [
    AfterRestore,
    CloseTenants,
    DueThings,
    ErasureProcess,
    Expiry,
    LatePictures,
    UnfinishedErasures,
    VendorErasureCare,
    vendorErasureQueueProvider,
  ],
})
export class ErasureProjectorModule {}

import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { AfterRestore } from './after-restore.js';
import { ErasuresController } from './erasures.controller.js';
import { ErasureModule } from './erasure.module.js';
import { RetentionController } from './keeping/retention.controller.js';
import { ReusedUploads } from './keeping/reused-uploads.js';
import { PersonArchive } from './person-archive.js';
import { Persons } from './persons.js';
import { ErasureRequests } from './request-erasure.js';

/** The routes that erase, and `/v1/erasures`. */
@Module({
  imports: [ConsistencyModule, ErasureModule],
  providers: [ErasureRequests, Persons, PersonArchive, AfterRestore, ReusedUploads],
  controllers: [ErasuresController, RetentionController],
})
export class ErasureApiModule implements OnApplicationBootstrap {
  constructor(private readonly afterRestore: AfterRestore) {}

  /** After that of AfterRestore, which is a provider of this module. */
  async onApplicationBootstrap(): Promise<void> {
    await this.afterRestore.isShown();
  }
}

import { Global, Module } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { openStorage } from '#storage/open-storage.js';

/** Where pictures are kept: the bucket or the folder that the configuration names. */
@Global()
@Module({
  providers: [{ provide: ObjectStorage, inject: [Configuration], useFactory: openStorage }],
  exports: [ObjectStorage],
})
export class ObjectStorageModule {}

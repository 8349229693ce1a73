import { Global, Module } from '@nestjs/common';
import { Configuration, type StorageConfiguration } from '#platform/configuration.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import type { S3Storage } from '#storage/s3/s3-storage.js';

@Global()
@Module({
  providers: [{ provide: ObjectStorage, inject: [Configuration], useFactory: openStorage }],
  exports: [ObjectStorage],
})
export class ObjectStorageModule {}

/** The storage that the configuration names: a bucket, or a folder whose URLs the API serves at `publicUrl`. */
export async function openStorage(configuration: {
  readonly storage: StorageConfiguration;
  readonly publicUrl: string;
}): Promise<FolderStorage | S3Storage> {
  const { storage, publicUrl } = configuration;
  if (storage.kind === 's3') {
    // The client of S3 is large, so it is not loaded where pictures are in a folder.
    const { S3Storage } = await import('#storage/s3/s3-storage.js');
    return new S3Storage(storage);
  }
  const { directory, signingSecret } = storage;
  return new FolderStorage({ directory, signingSecret, publicUrl });
}

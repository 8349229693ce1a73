import { Module } from '@nestjs/common';
import { StoreUploadHandler } from './store-picture.handler.js';
import { StoredPictures } from './stored-pictures.js';

/** Pictures that tenants have uploaded or that their jobs have made. */
@Module({
  providers: [StoredPictures, StoreUploadHandler],
  exports: [StoredPictures],
})
export class PictureModule {}

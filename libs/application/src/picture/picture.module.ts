import { Module } from '@nestjs/common';
import { StoreUploadHandler } from './store-picture.handler.js';
import { StoredPictures } from './stored-pictures.js';

@Module({
  providers: [StoredPictures, StoreUploadHandler],
  exports: [StoredPictures],
})
export class PictureModule {}

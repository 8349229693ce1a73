import { Module } from '@nestjs/common';
import { EarlierUploads } from './earlier-uploads.js';
import { StoreUploadHandler } from './store-picture.handler.js';
import { StoredPictures } from './stored-pictures.js';

@Module({
  providers: [EarlierUploads, StoredPictures, StoreUploadHandler],
  exports: [StoredPictures],
})
export class PictureModule {}

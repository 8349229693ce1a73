import { Module } from '@nestjs/common';
import { EventStore } from '#event-store/event-store.js';
import { StoreUploadHandler } from './store-picture.handler.js';
import { StoredPictures } from './stored-pictures.js';

/** Pictures that tenants have uploaded, and those that their jobs have made. */
@Module({
  providers: [
    {
      provide: StoredPictures,
      inject: [EventStore],
      useFactory: (store: EventStore) => new StoredPictures(store),
    },
    StoreUploadHandler,
  ],
  exports: [StoredPictures],
})
export class PictureModule {}

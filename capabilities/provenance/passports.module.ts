import { Module } from '@nestjs/common';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { KeptCredentials } from './kept-credentials.js';
import { Passports } from './passports.js';
import { PictureOrigins } from './picture-origins.js';
import { PresentedCredentials } from './presented-credentials.js';

/** Where pictures come from, for both APIs. */
@Module({
  imports: [ObjectStorageModule],
  providers: [PictureOrigins, KeptCredentials, PresentedCredentials, Passports],
  exports: [PictureOrigins, PresentedCredentials, Passports],
})
export class PassportsModule {}

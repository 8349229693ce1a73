import { Module } from '@nestjs/common';
import { GarmentCompatibility } from '../compatibility/garment-compatibility.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { PictureModule } from '../picture/picture.module.js';
import { CatalogQueries } from './catalog-queries.js';
import { RetireCatalogEntryHandler } from './retire-entry.handler.js';

/** What a caller can choose from and look at, and of its catalogue take away: catalogue entries, presets, renders. */
@Module({
  imports: [ConsistencyModule, PictureModule],
  providers: [CatalogQueries, GarmentCompatibility, RetireCatalogEntryHandler],
  exports: [CatalogQueries, GarmentCompatibility],
})
export class CatalogModule {}

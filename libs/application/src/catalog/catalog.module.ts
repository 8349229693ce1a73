import { Module } from '@nestjs/common';
import { GarmentCompatibility } from '../compatibility/garment-compatibility.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { PictureModule } from '../picture/picture.module.js';
import { CatalogQueries } from './catalog-queries.js';
import { RetireCatalogEntryHandler } from './retire-entry.handler.js';

/**
 * A caller's catalogue: entries, presets and renders to choose from or look at; the caller can retire entries.
 */
@Module({
  imports: [ConsistencyModule, PictureModule],
  providers: [CatalogQueries, GarmentCompatibility, RetireCatalogEntryHandler],
  exports: [CatalogQueries, GarmentCompatibility],
})
export class CatalogModule {}

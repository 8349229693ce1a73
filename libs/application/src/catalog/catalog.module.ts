import { Module } from '@nestjs/common';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { PictureModule } from '../picture/picture.module.js';
import { CatalogQueries } from './catalog-queries.js';
import { RetireCatalogEntryHandler } from './retire-entry.handler.js';

/**
 * A caller's catalogue: entries, presets and renders to choose from or look at; the caller can retire entries.
 */
@Module({
  imports: [ConsistencyModule, PictureModule],
  providers: [CatalogQueries, RetireCatalogEntryHandler],
  exports: [CatalogQueries],
})
export class CatalogModule {}

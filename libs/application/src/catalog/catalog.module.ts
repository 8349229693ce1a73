import { Module } from '@nestjs/common';
import { CheckCompatibilityHandler } from '../compatibility/check-compatibility.handler.js';
import { ConsistencyModule } from '../consistency/consistency.module.js';
import { ListPresetsHandler } from '../preset/list-presets.handler.js';
import { GetRenderHandler, ListRendersHandler } from '../render/renders.handler.js';
import { ListCatalogHandler } from './list-catalog.handler.js';

/** What a caller can choose from and look at: catalogue entries, presets, renders. */
@Module({
  imports: [ConsistencyModule],
  providers: [
    ListCatalogHandler,
    CheckCompatibilityHandler,
    ListPresetsHandler,
    ListRendersHandler,
    GetRenderHandler,
  ],
})
export class CatalogModule {}

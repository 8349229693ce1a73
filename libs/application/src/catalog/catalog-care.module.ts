import { Module } from '@nestjs/common';
import { StoredPictures } from '../picture/stored-pictures.js';
import { RetireCatalogEntryHandler } from './retire-entry.handler.js';

/** What operators do to tenants' catalogues; callers do it to theirs by the CatalogModule. */
@Module({ providers: [StoredPictures, RetireCatalogEntryHandler] })
export class CatalogCareModule {}

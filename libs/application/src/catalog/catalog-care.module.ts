import { Module } from '@nestjs/common';
import { StoredPictures } from '../picture/stored-pictures.js';
import { RetireCatalogEntryHandler } from './retire-entry.handler.js';

/** The operators' commands for tenants' catalogues. Callers change their own through the CatalogModule. */
@Module({ providers: [StoredPictures, RetireCatalogEntryHandler] })
export class CatalogCareModule {}

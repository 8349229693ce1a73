import { Module } from '@nestjs/common';
import { KeptCredentials } from './kept-credentials.js';
import { PictureOrigins } from './picture-origins.js';
import { ProvenanceController } from './provenance.controller.js';

/** `/v1/verify`, and the passports of renders. */
@Module({ providers: [PictureOrigins, KeptCredentials], controllers: [ProvenanceController] })
export class ProvenanceApiModule {}

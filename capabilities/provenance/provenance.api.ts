import { Module } from '@nestjs/common';
import { PictureOrigins } from './picture-origins.js';
import { ProvenanceController } from './provenance.controller.js';

/** `/v1/verify`, and the passports of renders. */
@Module({ providers: [PictureOrigins], controllers: [ProvenanceController] })
export class ProvenanceApiModule {}

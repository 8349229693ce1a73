import { Module } from '@nestjs/common';
import { PassportsModule } from './passports.module.js';
import { ProvenanceController } from './provenance.controller.js';
import { Verification } from './verification.js';

/** `/v1/verify`, and the passports of renders. */
@Module({
  imports: [PassportsModule],
  providers: [Verification],
  controllers: [ProvenanceController],
})
export class ProvenanceApiModule {}

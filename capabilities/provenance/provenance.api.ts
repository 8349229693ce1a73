import { Module } from '@nestjs/common';
import { PassportsModule } from './passports.module.js';
import { ProvenanceController } from './provenance.controller.js';
import { Verification } from './verification.js';
import { VerifyPageController } from './verify-page.controller.js';

/** `/v1/verify`, the passports of renders, and the page for people without a key. */
@Module({
  imports: [PassportsModule],
  providers: [Verification],
  controllers: [ProvenanceController, VerifyPageController],
})
export class ProvenanceApiModule {}

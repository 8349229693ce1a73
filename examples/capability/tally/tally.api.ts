import { Module } from '@nestjs/common';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { TallyController } from './tally.controller.js';
import { TallyModule } from './tally.module.js';

@Module({ imports: [ConsistencyModule, TallyModule], controllers: [TallyController] })
export class TallyApiModule {}

import { Module } from '@nestjs/common';
import { ActionModule } from '#application/action/action.module.js';
import { NightlyAudit } from './nightly-audit/nightly-audit.js';

@Module({ imports: [ActionModule], providers: [NightlyAudit] })
export class OperateProjectorModule {}

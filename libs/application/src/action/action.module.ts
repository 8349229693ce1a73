import { Module } from '@nestjs/common';
import { RecordActionHandler } from './record-action.handler.js';

@Module({ providers: [RecordActionHandler] })
export class ActionModule {}

import { Module } from '@nestjs/common';
import { RecordActionHandler } from './record-action.handler.js';

/** Records what operators do. */
@Module({ providers: [RecordActionHandler] })
export class ActionModule {}

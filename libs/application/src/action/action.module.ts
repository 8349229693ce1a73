import { Module } from '@nestjs/common';
import { RecordActionHandler } from './record-action.handler.js';

/** What operators did. */
@Module({ providers: [RecordActionHandler] })
export class ActionModule {}

import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { IssueKeyHandler, RotateKeyHandler } from './manage-keys.handler.js';

@Module({ imports: [StreamCommandsModule], providers: [IssueKeyHandler, RotateKeyHandler] })
export class KeyModule {}

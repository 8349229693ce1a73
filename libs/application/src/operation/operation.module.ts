import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { Operations } from './operations.js';

@Module({ imports: [StreamCommandsModule], providers: [Operations], exports: [Operations] })
export class OperationModule {}

import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { Operations } from './operations.js';

/** The price of each workflow, and whether it is enabled. */
@Module({ imports: [StreamCommandsModule], providers: [Operations], exports: [Operations] })
export class OperationModule {}

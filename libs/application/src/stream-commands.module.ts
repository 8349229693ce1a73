import { Module } from '@nestjs/common';
import { StreamCommandHandler } from './stream-command.handler.js';

/** The writes on single streams: jobs, keys, operations and presets. */
@Module({ providers: [StreamCommandHandler] })
export class StreamCommandsModule {}

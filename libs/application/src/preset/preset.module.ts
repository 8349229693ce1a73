import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { PublishPresetHandler, SeedPresetsHandler } from './manage-presets.handler.js';

/** The presets that callers choose from: publishes, retires and seeds them. */
@Module({ imports: [StreamCommandsModule], providers: [PublishPresetHandler, SeedPresetsHandler] })
export class PresetModule {}

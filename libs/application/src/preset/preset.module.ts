import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { PublishPresetHandler, SeedPresetsHandler } from './manage-presets.handler.js';

@Module({ imports: [StreamCommandsModule], providers: [PublishPresetHandler, SeedPresetsHandler] })
export class PresetModule {}

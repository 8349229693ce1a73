import { Module } from '@nestjs/common';
import { presetHandlers } from './manage-presets.handler.js';

/** The presets that callers choose from: publishes, retires and seeds them. */
@Module({ providers: presetHandlers })
export class PresetModule {}

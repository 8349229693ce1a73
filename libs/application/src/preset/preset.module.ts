import { Module } from '@nestjs/common';
import { presetHandlers } from './manage-presets.handler.js';

/** The presets that callers choose from: published, retired, and those that come with a release. */
@Module({ providers: presetHandlers })
export class PresetModule {}

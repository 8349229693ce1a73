import { Module } from '@nestjs/common';
import { SealRangeHandler } from './seal-range.handler.js';
import { Sealing } from './sealing.js';

/** Seals the log as it grows. */
@Module({ providers: [SealRangeHandler, Sealing] })
export class SealsProjectorModule {}

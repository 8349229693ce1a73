import { Module } from '@nestjs/common';
import { SealRangeHandler } from './seal-range.handler.js';

@Module({ providers: [SealRangeHandler] })
export class SealsModule {}

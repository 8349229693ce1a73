import { Module } from '@nestjs/common';
import { TallyReader } from './tally.reader.js';

/** The reader, for the route and for the operators' call. */
@Module({ providers: [TallyReader], exports: [TallyReader] })
export class TallyModule {}

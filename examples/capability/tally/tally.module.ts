import { Module } from '@nestjs/common';
import { TallyReader } from './tally.reader.js';

/** What routes and operators' calls share. */
@Module({ providers: [TallyReader], exports: [TallyReader] })
export class TallyModule {}

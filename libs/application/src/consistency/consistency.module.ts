import { Module } from '@nestjs/common';
import { ReadYourWrites } from './read-your-writes.js';

/** Read your writes: one memory of what each tenant wrote through this process. */
@Module({ providers: [ReadYourWrites], exports: [ReadYourWrites] })
export class ConsistencyModule {}

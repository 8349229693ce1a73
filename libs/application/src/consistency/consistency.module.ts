import { Module } from '@nestjs/common';
import { ReadYourWrites } from './read-your-writes.js';

/** Read your writes: one record of each tenant's last write through this process. */
@Module({ providers: [ReadYourWrites], exports: [ReadYourWrites] })
export class ConsistencyModule {}

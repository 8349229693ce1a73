import { Module } from '@nestjs/common';
import { ContentCredentials } from './content-credentials.js';
import { KeptCredentials } from './kept-credentials.js';
import { TimeStamps } from './time-stamps.js';

/** Signs pictures as they leave the worker, and has them stamped with the time. */
@Module({ providers: [ContentCredentials, KeptCredentials, TimeStamps] })
export class ProvenanceWorkerModule {}

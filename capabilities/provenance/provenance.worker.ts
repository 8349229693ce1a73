import { Module } from '@nestjs/common';
import { ContentCredentials } from './content-credentials.js';
import { KeptCredentials } from './kept-credentials.js';

/** Signs pictures as they leave the worker. */
@Module({ providers: [ContentCredentials, KeptCredentials] })
export class ProvenanceWorkerModule {}

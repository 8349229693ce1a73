import { Module } from '@nestjs/common';
import { ContentCredentials } from './content-credentials.js';

/** Signs pictures as they leave the worker. */
@Module({ providers: [ContentCredentials] })
export class ProvenanceWorkerModule {}

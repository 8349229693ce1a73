import { Injectable } from '@nestjs/common';
import type { Environment } from '#domain/streams.js';
import { ReadYourWrites } from '../consistency/read-your-writes.js';
import { type FoundJob, JobStreams } from '../read-models.js';

/**
 * What a tenant was shown of a job's own stream counts as its own write: once it has seen `succeeded`, its next look at
 * the renders or the catalogue waits until they are that far, and must not say that there is nothing.
 */
@Injectable()
export class NotedJobStreams implements JobStreams {
  constructor(
    private readonly streams: JobStreams,
    private readonly consistency: ReadYourWrites,
  ) {}

  async find(environment: Environment, tenant: string, jobId: string): Promise<FoundJob | undefined> {
    const found = await this.streams.find(environment, tenant, jobId);
    if (found) this.consistency.noteWrite({ environment, tenant }, found.position);
    return found;
  }
}

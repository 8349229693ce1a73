import { evolveJob, initialJob, type Job } from '#domain/job/job.js';
import type { JobEvent } from '#domain/job/job.events.js';
import type { Aggregate } from '../aggregate.js';

export const jobAggregate: Aggregate<Job, JobEvent> = { initial: initialJob, evolve: evolveJob };

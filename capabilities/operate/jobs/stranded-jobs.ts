import { setTimeout as sleep } from 'node:timers/promises';
import { readJobsWithoutTask } from '#adapters/stored-jobs-without-task.js';
import { HousekeepingStoresModule } from '#adapters/read-store.module.js';
import { RenderQueueModule } from '#adapters/render-queue.module.js';
import { ProcessManagersModule } from '#application/process-managers/process-managers.module.js';
import {
  StrandedJobs,
  strandedAmong,
  type StrandedJob,
} from '#application/process-managers/stranded-jobs.js';
import { JobsWithoutTask } from '#application/read-models.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Queries } from '#read-store/data-source.js';
import { BooleanField, id, ListField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { InEnvironment, environmentsOf } from '#operator-calls/input.js';
import { printLine, printTable } from '#operator-calls/output.js';

const requeueFeatures = [
  HousekeepingStoresModule,
  RenderQueueModule.with({ supervise: false }),
  ProcessManagersModule,
];

/** A job gets its task within moments. The projector finds a job that lost its task within half a minute. */
const strandedAfterMs = 60_000;
/** The time that a batch needs between the end of its last photograph and its own end. */
const settleMs = 1_000;

/**
 * The jobs of an environment that have had neither task nor running attempt for a minute. It looks twice, so
 * that it reports no job whose task is just on its way.
 */
export async function findStranded(
  database: Queries,
  store: EventStore,
  environment: Environment,
): Promise<StrandedJob[]> {
  const look = () => readJobsWithoutTask(database, environment, strandedAfterMs);
  const first = await look();
  if (first.length === 0) return [];
  await sleep(settleMs);
  const known = new Set(first.map(({ jobId }) => jobId));
  const still = (await look()).filter(({ jobId }) => known.has(jobId));
  return strandedAmong(store, environment, still);
}

/** Changes nothing. */
export const listStranded = defineCall({
  name: 'jobs stranded',
  route: 'GET /stranded',
  may: ['read'],
  summary: 'Jobs that have not ended and have neither a task nor a running attempt',
  input: InEnvironment,
  async run(operator, { env }) {
    const database = await operator.database();
    const jobs = [];
    for (const environment of environmentsOf(env)) {
      const found = await findStranded(database, operator.store, environment);
      for (const { jobId, tenant, parentJobId, remedy } of found)
        jobs.push({
          env: environment,
          tenant_id: tenant,
          job_id: jobId,
          parent_job_id: parentJobId,
          needs: remedy.task ? 'its task' : 'the next step of its batch',
        });
    }
    return { jobs };
  },
  print({ jobs }) {
    if (jobs.length === 0) return printLine('No job is stranded.');
    printTable(jobs, {
      environment: (job) => job.env,
      tenant: (job) => job.tenant_id,
      job: (job) => job.job_id,
      batch: (job) => job.parent_job_id,
      needs: (job) => job.needs,
    });
  },
});

class StrandedChoice extends InEnvironment {
  @ListField({ description: 'Only these jobs; none: all that are stranded.', items: id, max: 200 })
  job: string[] = [];

  @BooleanField({ description: 'Nothing is done, and the answer says what would happen.' })
  dry_run: boolean = false;
}

/** Does the projector's work beside it and without its pause. A task that exists stays as it is. */
export const requeueJobs = defineCall({
  name: 'jobs requeue',
  route: 'POST /stranded/requeue',
  may: ['support'],
  summary: 'Give stranded jobs their task again, now; an existing task stays as it is',
  input: StrandedChoice,
  typed: { job: 'argument' },
  features: requeueFeatures,
  async run(operator, { env, job: wanted, dry_run: dryRun }) {
    const jobs = operator.get(JobsWithoutTask);
    const stranded = operator.get(StrandedJobs);
    const requeued = [];
    const missing = new Set(wanted);
    for (const environment of environmentsOf(env)) {
      const found = await jobs.find(environment);
      const chosen = wanted.length === 0 ? found : found.filter(({ jobId }) => wanted.includes(jobId));
      for (const { jobId } of chosen) missing.delete(jobId);
      const tasks = dryRun
        ? (await strandedAmong(operator.store, environment, chosen)).filter(({ remedy }) => remedy.task)
            .length
        : await stranded.help(environment, chosen);
      requeued.push({ env: environment, tasks });
    }
    return { dry_run: dryRun, requeued, ...(missing.size > 0 && { missing: [...missing] }) };
  },
  print({ dry_run: dryRun, requeued }) {
    printTable(requeued, {
      environment: (each) => each.env,
      [dryRun ? 'tasks to put back' : 'tasks put back']: (each) => each.tasks,
    });
    if (dryRun) printLine('Nothing was done: leave out --dry-run to do it.');
  },
  complaint: ({ missing }) =>
    missing && `${missing.join(', ')}: not stranded: ended, unknown, or in the queue already`,
});

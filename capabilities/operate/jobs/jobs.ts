import { load, readForwards } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { tellers } from '#capabilities/parts.js';
import { attemptOf, callsOf } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { environments, streamName, type Environment } from '#domain/streams.js';
import { CallRow } from '#projections/calls/calls.read-model.js';
import { JobRow, type JobStatus } from '#projections/jobs/jobs.read-model.js';
import { LedgerRow } from '#projections/ledger/ledger.read-model.js';
import { UsageRow } from '#projections/usage/usage.read-model.js';
import { ChoiceField, IdField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import { PageInEnvironment, printRest, environmentsOf, timeOf } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { printProperties, printTable, toJson } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import type { ToldOfJob } from '#operator-calls/told-of-jobs.js';

const statuses: readonly JobStatus[] = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'];

class SoughtJobs extends PageInEnvironment {
  @IdField({ description: 'Only those of this tenant.' })
  tenant?: string;

  @ChoiceField({ description: 'Only those.', values: statuses })
  status?: JobStatus;

  @TextField({ description: 'Only those of this workflow.', min: 1, max: 64 })
  workflow?: string;

  @TextField({ description: 'Only those of this image model.', min: 1, max: 64 })
  model?: string;

  @TextField({ description: 'Only those that failed with this code.', min: 1, max: 64 })
  error?: string;

  @TextField({ description: 'Dispatched from this time on.', min: 1, max: 40 })
  from?: string;

  @TextField({ description: 'Dispatched before this time.', min: 1, max: 40 })
  to?: string;
}

export const listJobs = defineCall({
  name: 'jobs list',
  route: 'GET /jobs',
  may: ['read'],
  summary: 'Jobs across tenants, the latest first',
  input: SoughtJobs,
  async run(operator, sought) {
    const { found, total } = await pageOfJobs(operator, sought);
    return { jobs: found.map(({ env, row }) => describeRow(env, row)), total };
  },
  print: ({ jobs, total }, { offset }) => {
    printTable(jobs, {
      job: (job) => job.job_id,
      environment: (job) => job.env,
      tenant: (job) => job.tenant_id,
      workflow: (job) => job.workflow,
      model: (job) => job.model,
      status: (job) => job.status,
      error: (job) => job.error_code,
      credits: (job) => job.credits_cost,
      dispatched: (job) => job.created_at,
      finished: (job) => job.finished_at,
    });
    printRest(offset + jobs.length, total);
  },
});

/** One page of the rows of the chosen environments, the latest first. */
export async function pageOfJobs(operator: Operator, { env, limit, offset, ...sought }: SoughtJobs) {
  const found: { env: Environment; row: JobRow }[] = [];
  let total = 0;
  for (const environment of environmentsOf(env)) {
    const [rows, count] = await rowsOf(operator, environment, sought, offset + limit);
    total += count;
    found.push(...rows.map((row) => ({ env: environment, row })));
  }
  found.sort((one, other) => other.row.createdAt.getTime() - one.row.createdAt.getTime());
  return { found: found.slice(offset, offset + limit), total };
}

async function rowsOf(
  operator: Operator,
  environment: Environment,
  { tenant, status, workflow, model, error, from, to }: Omit<SoughtJobs, keyof PageInEnvironment>,
  limit: number,
): Promise<[rows: JobRow[], count: number]> {
  const jobs = (await operator.readModels(environment)).getRepository(JobRow).createQueryBuilder('job');
  if (tenant !== undefined) jobs.andWhere('job.tenant = :tenant', { tenant });
  if (status !== undefined) jobs.andWhere('job.status = :status', { status });
  if (workflow !== undefined) jobs.andWhere('job.operation = :workflow', { workflow });
  if (model !== undefined) jobs.andWhere('job.imageModel = :model', { model });
  if (error !== undefined) jobs.andWhere(`job.error->>'code' = :error`, { error });
  if (from !== undefined) jobs.andWhere('job.createdAt >= :from', { from: new Date(timeOf('--from', from)) });
  if (to !== undefined) jobs.andWhere('job.createdAt < :to', { to: new Date(timeOf('--to', to)) });
  return jobs
    .orderBy('job.createdAt', 'DESC')
    .addOrderBy('job.publicId', 'DESC')
    .take(limit)
    .getManyAndCount();
}

function describeRow(env: Environment, row: JobRow) {
  const { publicId, tenant, operation, imageModel, status, error, creditsCost, requestId, parentJobId } = row;
  return {
    job_id: publicId,
    env,
    tenant_id: tenant,
    workflow: operation,
    model: imageModel,
    status,
    error_code: error?.code ?? null,
    credits_cost: creditsCost,
    request_id: requestId,
    parent_job_id: parentJobId,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
  };
}

class AnyId {
  @TextField({
    description:
      "The id of a job, a request, a charge, a picture or a webhook delivery, or a vendor's own id.",
    min: 1,
    max: 255,
    required: true,
  })
  id: string;
}

interface FoundJob {
  readonly env: Environment;
  readonly job_id: string;
  /** What the id is of. */
  readonly as: 'job' | 'request' | 'charge' | 'picture' | 'delivery' | "vendor's request";
}

export const findJobs = defineCall({
  name: 'jobs find',
  route: 'GET /search',
  may: ['read'],
  summary: 'The jobs that any id leads to',
  input: AnyId,
  typed: { id: 'argument' },
  async run(operator, { id: sought }) {
    const jobs: FoundJob[] = [];
    for (const env of environments) jobs.push(...(await jobsBehind(operator, env, sought)));
    if (jobs.length > 0) return { jobs };
    throw new CallRefused(`the id ${sought} leads to no job in either environment`, 'RESOURCE_NOT_FOUND');
  },
  print: ({ jobs }) =>
    printTable(jobs, {
      job: (job) => job.job_id,
      environment: (job) => job.env,
      'found as': (job) => job.as,
    }),
});

async function jobsBehind(operator: Operator, env: Environment, sought: string): Promise<FoundJob[]> {
  const found = new Map<string, FoundJob>();
  const add = (job_id: string | null | undefined, as: FoundJob['as']) => {
    if (job_id && !found.has(job_id)) found.set(job_id, { env, job_id, as });
  };
  const { state } = await load(operator.store, streamName(env, 'job', sought), jobAggregate);
  if (state.status !== 'unqueued') add(sought, 'job');
  const rows = await operator.readModels(env);
  // Looks ids up by keys and an index. The table of jobs has no index for them.
  add((await rows.getRepository(UsageRow).findOneBy({ requestId: sought }))?.jobId, 'request');
  add((await rows.getRepository(LedgerRow).findOneBy({ id: sought }))?.jobId, 'charge');
  for (const { jobId } of await rows.getRepository(CallRow).findBy({ vendorRequestId: sought }))
    add(jobId, "vendor's request");
  const asset = await operator.store.readStream(streamName(env, 'asset', sought), { limit: 1 });
  // The stream of an asset has this one event.
  if (asset.kind === 'found')
    add((asset.events[0]?.data as { jobId?: string | null } | undefined)?.jobId, 'picture');
  const database = await operator.database();
  for (const told of await tellers()) add(await told.jobOf(database, env, sought), 'delivery');
  return [...found.values()];
}

export class OneJob {
  @IdField({ description: 'The job.', required: true })
  job: string;
}

/** Shows everything that is known about one job. */
export const showJob = defineCall({
  name: 'jobs show',
  route: 'GET /jobs/:job',
  may: ['read'],
  summary: "One job's whole story: events, money, attempts, vendor calls, deliveries, trace",
  input: OneJob,
  async run(operator, { job: jobId }) {
    const { env, state, job } = await requireJob(operator, jobId);
    const events = [];
    let traceparent: string | undefined;
    for await (const page of readForwards(operator.store, streamName(env, 'job', jobId), 0n))
      for (const recorded of page) {
        const { revision, position, type, data, metadata } = recorded;
        traceparent ??= metadata.traceparent;
        // The decoded data has the form of its type, and golden files describe that form.
        const said: object = decode({ type, data, metadata }).data;
        events.push({ revision: Number(revision), position, type, data: said, metadata });
      }
    const ledger = (await operator.readModels(env)).getRepository(LedgerRow);
    const lines = job.chargeId === null ? [] : await ledger.findBy({ id: job.chargeId });
    const database = await operator.database();
    const told = (await tellers()).map((each) => each.ofJob(database, env, job.tenant, jobId));
    const deliveries: ToldOfJob[] = (await Promise.all(told)).flat();
    const calls = callsOf(state);
    return {
      job_id: jobId,
      env,
      tenant_id: job.tenant,
      workflow: job.operation,
      model: job.imageModel ?? null,
      status: state.status,
      attempts: attemptOf(state),
      credits_cost: job.creditsCost,
      request_id: job.requestId,
      charge_id: job.chargeId,
      parent_job_id: job.parentJobId,
      child_job_ids: job.childJobIds ?? [],
      trace_id: traceparent?.split('-')[1] ?? null,
      events,
      ledger: lines.map(
        ({ id: entry, kind, label, amount, creditsDelta, status, createdAt, resolvedAt }) => ({
          id: entry,
          kind,
          label,
          amount,
          credits_delta: creditsDelta,
          status,
          created_at: createdAt,
          resolved_at: resolvedAt,
        }),
      ),
      vendor_calls: calls.map(({ call, step, model, vendor, attempt, vendorRequestId, answer }) => ({
        call,
        step,
        model,
        vendor,
        attempt,
        vendor_request_id: vendorRequestId ?? null,
        answer: answer ?? null,
      })),
      deliveries,
    };
  },
  print: ({ events, ledger, vendor_calls, deliveries, child_job_ids, ...job }) => {
    printProperties([...Object.entries(job), ['children', child_job_ids.join(' ') || null]]);
    printTable(events, {
      revision: (event) => event.revision,
      event: (event) => event.type,
      recorded: (event) => event.metadata.recordedAt,
      by: (event) => event.metadata.actor,
      data: (event) => toJson(event.data).slice(0, 120),
    });
    printTable(ledger, {
      ledger: (line) => line.id,
      kind: (line) => line.kind,
      credits: (line) => line.credits_delta,
      status: (line) => line.status,
    });
    if (vendor_calls.length > 0)
      printTable(vendor_calls, {
        call: (call) => call.call,
        model: (call) => call.model,
        "vendor's id": (call) => call.vendor_request_id,
        answer: (call) => toJson(call.answer),
      });
    if (deliveries.length > 0)
      printTable(deliveries, {
        delivery: (delivery) => delivery.delivery_id,
        type: (delivery) => delivery.type,
        status: (delivery) => delivery.status,
        attempts: (delivery) => delivery.attempts,
      });
  },
});

/** Finds a job by its id, and the job's environment with it. @throws CallRefused if there is none */
export async function requireJob(operator: Operator, jobId: string) {
  for (const env of environments) {
    const { state } = await load(operator.store, streamName(env, 'job', jobId), jobAggregate);
    if ('job' in state) return { env, state, job: state.job };
  }
  throw new CallRefused(`there is no job ${jobId}: "atelier jobs find" takes any id`, 'RESOURCE_NOT_FOUND');
}

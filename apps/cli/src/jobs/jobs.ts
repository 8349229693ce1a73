import { Module } from '@nestjs/common';
import { load, readForwards } from '#application/aggregate.js';
import { StoredJobs } from '#adapters/stored-jobs.js';
import { CloseCharge, MakeCharges } from '#application/account/charges.handler.js';
import { CancelJob, CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { NotedJobStreams } from '#application/job/job-queries.handler.js';
import {
  jobAggregate,
  JobWritesModule,
  QueueJob,
  ReportRender,
} from '#application/job/job-writes.handler.js';
import { OperationModule } from '#application/operation/manage-operations.handler.js';
import { Operations } from '#application/operation/operations.js';
import type { EventOfType } from '#domain/events.js';
import { isUnfinished, type Job } from '#domain/job/job.js';
import { jobFailureCodes, type JobFailureCode } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix, environments, streamName, type Environment } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { JobRow, type JobStatus } from '#projections/jobs/jobs.read-model.js';
import { LedgerRow } from '#projections/ledger/ledger.read-model.js';
import {
  BooleanField,
  ChoiceField,
  id,
  IdField,
  IntegerField,
  ListField,
  TextField,
} from '#validation/fields.js';
import { defineCall, InEnvironment } from '../call.js';
import type { Operator } from '../operator.js';
import { printLine, printProperties, printTable, toJson } from '../output.js';
import { environmentsOf, pagesOfLog, timeOf } from '../places.js';
import { withDatabase } from '../service.js';
import { CliError } from '../verb.js';

const statuses: readonly JobStatus[] = ['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'];

class SoughtJobs extends InEnvironment {
  @IdField({ description: 'Only those of this tenant.', nullable: false })
  tenant?: string;

  @ChoiceField({ description: 'Only those.', values: statuses, nullable: false })
  status?: JobStatus;

  @TextField({ description: 'Only those of this workflow.', min: 1, max: 64, nullable: false })
  workflow?: string;

  @TextField({ description: 'Only those of this image model.', min: 1, max: 64, nullable: false })
  model?: string;

  @TextField({ description: 'Only those that failed with this code.', min: 1, max: 64, nullable: false })
  error?: string;

  @TextField({ description: 'Dispatched from this time on.', min: 1, max: 40, nullable: false })
  from?: string;

  @TextField({ description: 'Dispatched before this time.', min: 1, max: 40, nullable: false })
  to?: string;

  @IntegerField({
    description: 'How many, the latest first.',
    min: 1,
    max: 200,
    default: 50,
    nullable: false,
  })
  limit: number = 50;

  @IntegerField({
    description: 'How many to pass over.',
    min: 0,
    max: 1_000_000,
    default: 0,
    nullable: false,
  })
  offset: number = 0;
}

export const listJobs = defineCall({
  name: 'jobs list',
  route: 'GET /jobs',
  may: ['read'],
  summary: 'Jobs across tenants, the latest first',
  input: SoughtJobs,
  async run(operator, { env, limit, offset, ...sought }) {
    const found = [];
    let total = 0;
    for (const environment of environmentsOf(env)) {
      const [rows, count] = await rowsOf(operator, environment, sought, offset + limit);
      total += count;
      found.push(...rows.map((row) => describeRow(environment, row)));
    }
    found.sort((one, other) => other.created_at.getTime() - one.created_at.getTime());
    return { jobs: found.slice(offset, offset + limit), total };
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
    const shown = offset + jobs.length;
    if (shown < total) printLine(`${shown} of ${total}: --offset ${shown} shows more.`);
  },
});

async function rowsOf(
  operator: Operator,
  environment: Environment,
  { tenant, status, workflow, model, error, from, to }: Omit<SoughtJobs, 'env' | 'limit' | 'offset'>,
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
    ...{ job_id: publicId, env, tenant_id: tenant, workflow: operation, model: imageModel, status },
    ...{ error_code: error?.code ?? null, credits_cost: creditsCost, request_id: requestId },
    ...{ parent_job_id: parentJobId, created_at: row.createdAt, finished_at: row.finishedAt },
  };
}

class AnyId {
  @TextField({
    description: "Of a job, a request, a charge, a picture, a webhook delivery, or a vendor's own.",
    ...{ min: 1, max: 255, required: true },
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
  async run(operator, { id: sought }) {
    const jobs: FoundJob[] = [];
    for (const env of environments) jobs.push(...(await jobsBehind(operator, env, sought)));
    if (jobs.length > 0) return { jobs };
    throw new CliError(`no job has to do with ${sought}, in either environment`, 'RESOURCE_NOT_FOUND');
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
  const jobs = (await operator.readModels(env)).getRepository(JobRow);
  for (const { publicId } of await jobs.findBy({ requestId: sought })) add(publicId, 'request');
  for (const { publicId } of await jobs.findBy({ chargeId: sought })) add(publicId, 'charge');
  const asset = await operator.store.readStream(streamName(env, 'asset', sought), { limit: 1 });
  // The stream of an asset has this one event.
  if (asset.kind === 'found')
    add((asset.events[0]?.data as { jobId?: string | null } | undefined)?.jobId, 'picture');
  add(await jobOfDelivery(operator, env, sought), 'delivery');
  if (found.size > 0) return [...found.values()];
  // Vendors' ids are nowhere but in the log.
  const filter = {
    ...{ types: ['EngineSubmitted', 'EngineAnswered'], streamPrefixes: [categoryPrefix(env, 'job')] },
  };
  for await (const page of pagesOfLog(operator.store, { filter, limit: 1_000 }))
    for (const { stream, data } of page)
      if ((data as EventOfType<'EngineSubmitted'>['data']).vendorRequestId === sought)
        add(stream.slice(categoryPrefix(env, 'job').length), "vendor's request");
  return [...found.values()];
}

/** Deliveries are rows, whose body names the job. */
async function jobOfDelivery(
  operator: Operator,
  env: Environment,
  sought: string,
): Promise<string | undefined> {
  return withDatabase(operator.configuration.databaseUrl, undefined, async (client) => {
    const { rows } = await client.query<{ job: string | null }>(
      `select body::json #>> '{data,job_id}' as job from ${env}.webhook_deliveries where delivery_id = $1`,
      [sought],
    );
    return rows[0]?.job ?? undefined;
  });
}

class OneJob {
  @IdField({ description: 'The job.', required: true })
  job: string;
}

/** Everything that there is about one job. */
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
        events.push({
          revision: Number(revision),
          position,
          type,
          data: decode({ type, data, metadata }).data,
          metadata,
        });
      }
    const ledger = (await operator.readModels(env)).getRepository(LedgerRow);
    const lines = await ledger.find({ where: { jobId }, order: { revision: 'ASC' } });
    const calls = 'calls' in state ? (state.calls ?? []) : [];
    return {
      ...{
        job_id: jobId,
        env,
        tenant_id: job.tenant,
        workflow: job.operation,
        model: job.imageModel ?? null,
      },
      ...{
        status: state.status,
        attempts: 'attempt' in state ? state.attempt : 0,
        credits_cost: job.creditsCost,
      },
      ...{ request_id: job.requestId, charge_id: job.chargeId, parent_job_id: job.parentJobId },
      ...{ child_job_ids: job.childJobIds ?? [], trace_id: traceparent?.split('-')[1] ?? null },
      events,
      ledger: lines.map(
        ({ id: entry, kind, label, amount, creditsDelta, status, createdAt, resolvedAt }) => ({
          ...{ id: entry, kind, label, amount, credits_delta: creditsDelta, status },
          ...{ created_at: createdAt, resolved_at: resolvedAt },
        }),
      ),
      vendor_calls: calls.map(({ call, step, model, vendor, attempt, vendorRequestId, answer }) => ({
        ...{ call, step, model, vendor, attempt, vendor_request_id: vendorRequestId ?? null },
        answer: answer ?? null,
      })),
      deliveries: await deliveriesOf(operator, env, job.tenant, jobId),
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

interface DeliveryView {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly occurred_at: Date;
}

function deliveriesOf(
  operator: Operator,
  env: Environment,
  tenant: string,
  job: string,
): Promise<DeliveryView[]> {
  return withDatabase(operator.configuration.databaseUrl, undefined, async (client) => {
    const { rows } = await client.query<DeliveryView>(
      `select delivery_id, endpoint_id, type, status, attempts, occurred_at from ${env}.webhook_deliveries
         where tenant = $1 and body::json #>> '{data,job_id}' = $2 order by occurred_at, delivery_id`,
      [tenant, job],
    );
    return rows;
  });
}

/** The job of an id, whose environment is looked for. @throws CliError when there is none */
async function requireJob(operator: Operator, jobId: string) {
  for (const env of environments) {
    const { state } = await load(operator.store, streamName(env, 'job', jobId), jobAggregate);
    if ('job' in state) return { env, state, job: state.job };
  }
  throw new CliError(`there is no job ${jobId}: "atelier jobs find" takes any id`, 'RESOURCE_NOT_FOUND');
}

class SeveralJobs {
  @ListField({ description: 'Which.', items: id, min: 1, max: 200, unique: true, required: true })
  jobs: string[];

  @BooleanField({
    description: 'Without it nothing is done, and the answer says what would be.',
    nullable: false,
  })
  confirm: boolean = false;
}

class FailedJobs extends SeveralJobs {
  @ChoiceField({ description: 'What its caller is told.', values: jobFailureCodes, nullable: false })
  code: JobFailureCode = 'ENGINE_OUTCOME_UNKNOWN';

  @TextField({ description: 'What its caller reads.', min: 1, max: 200, nullable: false })
  message: string = 'Ended by the operator. Your credits were refunded.';
}

/** What became of one of several jobs, or would. */
interface JobOutcome {
  readonly job_id: string;
  readonly done: boolean;
  readonly outcome: string;
  readonly credits: number;
  readonly new_job_id?: string;
}

type Judged = Awaited<ReturnType<typeof requireJob>>;

/** Takes them one after the other: what is wrong with one keeps none of the others. */
async function each(
  operator: Operator,
  { jobs, confirm }: SeveralJobs,
  refusal: (job: Judged) => string | undefined,
  words: { readonly done: string; readonly would: string },
  act: (job: Judged, jobId: string) => Promise<Pick<JobOutcome, 'new_job_id'> | undefined>,
) {
  const outcomes: JobOutcome[] = [];
  for (const jobId of jobs) {
    try {
      const judged = await requireJob(operator, jobId);
      const credits = judged.job.creditsCost;
      const because = refusal(judged);
      if (because !== undefined) outcomes.push({ job_id: jobId, done: false, outcome: because, credits: 0 });
      else if (!confirm) outcomes.push({ job_id: jobId, done: false, outcome: words.would, credits });
      else
        outcomes.push({
          job_id: jobId,
          done: true,
          outcome: words.done,
          credits,
          ...(await act(judged, jobId)),
        });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      outcomes.push({ job_id: jobId, done: false, outcome: error.message, credits: 0 });
    }
  }
  return { dry_run: !confirm, jobs: outcomes };
}

type Outcomes = Awaited<ReturnType<typeof each>>;

function printOutcomes({ dry_run, jobs }: Outcomes): void {
  printTable(jobs, {
    job: (job) => job.job_id,
    outcome: (job) => job.outcome,
    credits: (job) => job.credits,
    'new job': (job) => job.new_job_id,
  });
  if (dry_run) printLine('Nothing was done: --confirm does it.');
}

const complaintOf = ({ dry_run, jobs }: Outcomes): string | undefined => {
  const left = jobs.filter(({ done }) => !done).length;
  return dry_run || left === 0 ? undefined : `${left} of ${jobs.length} were left as they are`;
};

const summaryOf = ({ dry_run, jobs }: Outcomes): string =>
  dry_run ? 'a dry run' : `${jobs.filter(({ done }) => done).length} of ${jobs.length}`;

const ended = ({ state }: { readonly state: Job }) =>
  isUnfinished(state) ? undefined : `it has ended already: ${state.status}`;

/** Jobs are looked at in their own streams: no read model has to be there. */
@Module({
  imports: [JobWritesModule],
  providers: [StoredJobs, { provide: NotedJobStreams, useExisting: StoredJobs }, CancelJobHandler],
})
class JobRepairsModule {}

export const cancelJobs = defineCall({
  name: 'jobs cancel',
  route: 'POST /jobs/cancel',
  may: ['support'],
  summary: 'End jobs before they are done, and give back what they cost; with their batch',
  input: SeveralJobs,
  features: [JobRepairsModule],
  run: (operator, input) =>
    each(
      operator,
      input,
      ended,
      { done: 'cancelled and refunded', would: 'would be cancelled and refunded' },
      async ({ env, job }, jobId) => {
        const { actor, requestId, at } = operator.context(env, job.tenant);
        const caller = { environment: env, tenant: job.tenant, keyId: '', capabilities: [] };
        const by = { actor, reason: 'Cancelled by the operator. Your credits were refunded.' };
        const cancelled = await operator.execute(new CancelJob(caller, jobId, requestId, at, by));
        if (cancelled.kind === 'refused') throw new CliError('it ended meanwhile, and stays as it is');
        return undefined;
      },
    ),
  summarise: summaryOf,
  print: printOutcomes,
  complaint: complaintOf,
});

export const failJobs = defineCall({
  name: 'jobs fail',
  route: 'POST /jobs/fail',
  may: ['support'],
  summary: 'End jobs whose attempt hangs as failed, and give back what they cost',
  input: FailedJobs,
  features: [JobRepairsModule],
  run: (operator, input) =>
    each(
      operator,
      input,
      ({ state }) =>
        ended({ state }) ?? (state.status === 'rendering' ? undefined : 'no attempt has begun: cancel it'),
      { done: 'failed and refunded', would: 'would fail and be refunded' },
      async ({ env, job, state }, jobId) => {
        const attempt = 'attempt' in state ? state.attempt : 0;
        const { code, message } = input;
        const context = operator.context(env, job.tenant);
        const report = { kind: 'failure', said: { code, message, attempt } } as const;
        const failed = await operator.execute(new ReportRender(context, jobId, report));
        if (failed.kind === 'rejected')
          throw new CliError('its worker has gone on meanwhile: look at it again');
        if (job.chargeId !== null) {
          const end = {
            kind: 'refund',
            reason: 'job-failed',
            chargeId: job.chargeId,
            tenant: job.tenant,
          } as const;
          await operator.execute(new CloseCharge(end, context));
        }
        return undefined;
      },
    ),
  summarise: summaryOf,
  print: printOutcomes,
  complaint: complaintOf,
});

export const retryJobs = defineCall({
  name: 'jobs retry',
  route: 'POST /jobs/retry',
  may: ['support'],
  summary: 'Dispatch the order of jobs that failed or were cancelled anew, as new jobs at the price of now',
  input: SeveralJobs,
  features: [JobRepairsModule, OperationModule],
  run: (operator, input) =>
    each(
      operator,
      input,
      ({ state, job }) => {
        if (state.status !== 'failed' && state.status !== 'cancelled')
          return `only what failed or was cancelled can be ordered again; it is ${state.status}`;
        if (job.childJobIds || job.parentJobId) return 'a batch is dispatched by its tenant';
        return undefined;
      },
      { done: 'dispatched anew', would: 'would be dispatched anew' },
      (judged) => dispatchAnew(operator, judged),
    ),
  summarise: summaryOf,
  print: printOutcomes,
  complaint: complaintOf,
});

/** The charge first, as for every dispatch: what dies in between is an orphaned charge, which the sweep gives back. */
async function dispatchAnew(operator: Operator, { env, job }: Judged) {
  const { tenant, operation } = job;
  const { credits, enabled } = await operator.get(Operations).termsOf(env, operation);
  if (!enabled) throw new CliError(`${operation} is disabled at present`);
  const ids = { jobId: newId(), requestId: newId(), chargeId: '' };
  ids.chargeId = ids.requestId;
  const context = { ...operator.context(env, tenant), requestId: ids.requestId };
  const at = context.at.toISOString();
  const charge = { ...ids, operation, endpoint: `/v1/${operation}`, amount: credits, at };
  const debited = await operator.execute(new MakeCharges(context, [charge]));
  if (debited.kind === 'rejected') throw new CliError(`it cannot be charged: ${debited.rejection.code}`);
  const { testOutcome: _testOutcome, ...order } = job;
  const queue = { ...context, commandId: `queue:${ids.jobId}` };
  const queued = await operator.execute(
    new QueueJob(queue, ids.jobId, { ...order, ...ids, creditsCost: credits, at }),
  );
  if (queued.kind === 'rejected') throw new Error(`job ${ids.jobId} is there already`);
  return { new_job_id: ids.jobId };
}

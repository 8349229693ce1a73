import { Module } from '@nestjs/common';
import { StoredJobs } from '#adapters/stored-jobs.js';
import { load } from '#application/aggregate.js';
import { CloseCharge, MakeCharges } from '#application/account/charges.handler.js';
import { seedOf } from '#application/dispatch/dispatched-jobs.js';
import { CancelJob, CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { jobAggregate, QueueJob, ReportRender } from '#application/job/job-writes.handler.js';
import { OperationModule } from '#application/operation/operation.module.js';
import { Operations } from '#application/operation/operations.js';
import { JobStreams } from '#application/read-models.js';
import { StreamCommandsModule } from '#application/stream-commands.module.js';
import { attemptOf, isUnfinished, type Job } from '#domain/job/job.js';
import { failJob } from '#domain/job/render-job.js';
import { jobFailureCodes, type JobFailureCode } from '#domain/job/job.events.js';
import type { OperatorRole } from '#operator-calls/operator-role.js';
import { streamName } from '#domain/streams.js';
import { derivedId, newId } from '#platform/ids.js';
import { BooleanField, ChoiceField, id, ListField, TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { requireJob } from './jobs.js';

class SeveralJobs {
  @ListField({ description: 'Which.', items: id, min: 1, max: 200, unique: true, required: true })
  jobs: string[];

  @BooleanField({ description: 'Without it, nothing is done, and the answer says what would happen.' })
  confirm: boolean = false;
}

class FailedJobs extends SeveralJobs {
  @ChoiceField({ description: 'The code that the caller gets.', values: jobFailureCodes })
  code: JobFailureCode = 'ENGINE_OUTCOME_UNKNOWN';

  @TextField({ description: 'The message that the caller reads.', min: 1, max: 200 })
  message: string = 'Ended by the operator. Your credits were refunded.';
}

class OrderedAgain extends SeveralJobs {
  @BooleanField({
    description:
      'Also order jobs again that succeeded: their tenants are charged once more, for another job.',
  })
  succeeded: boolean = false;
}

/** The outcome for one of several jobs; in a dry run, the outcome that it would have. */
interface JobOutcome {
  readonly job_id: string;
  readonly done: boolean;
  readonly outcome: string;
  readonly credits: number;
  readonly new_job_id?: string;
}

type Judged = Awaited<ReturnType<typeof requireJob>>;

/** Takes the jobs one after the other. An error in one does not stop the others. */
async function each(
  operator: Operator,
  { jobs, confirm }: SeveralJobs,
  refusal: (job: Judged) => string | undefined,
  words: { readonly done: string; readonly would: string },
  act: (job: Judged, jobId: string) => Promise<Pick<JobOutcome, 'new_job_id'> | undefined>,
  creditsOf = ({ job }: Judged): number | Promise<number> => job.creditsCost,
) {
  const outcomes: JobOutcome[] = [];
  for (const jobId of jobs) {
    try {
      const judged = await requireJob(operator, jobId);
      const because = refusal(judged);
      const credits = because === undefined ? await creditsOf(judged) : 0;
      if (because !== undefined) outcomes.push({ job_id: jobId, done: false, outcome: because, credits });
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
      if (!(error instanceof CallRefused)) throw error;
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
  if (dry_run) printLine('Nothing was done: add --confirm to do it.');
}

const complaintOf = ({ dry_run, jobs }: Outcomes): string | undefined => {
  const left = jobs.filter(({ done }) => !done).length;
  return dry_run || left === 0 ? undefined : `${left} of ${jobs.length} were left as they are`;
};

const summaryOf = ({ dry_run, jobs }: Outcomes): string =>
  dry_run ? 'a dry run' : `${jobs.filter(({ done }) => done).length} of ${jobs.length}`;

/** The parts that all repairs share. */
const ofSeveral = {
  may: ['support'] satisfies OperatorRole[],
  summarise: summaryOf,
  print: printOutcomes,
  complaint: complaintOf,
};

const ended = ({ state }: { readonly state: Job }) =>
  isUnfinished(state) ? undefined : `it has ended already: ${state.status}`;

/** Jobs are read from their own streams, so no read model is needed. */
@Module({
  imports: [StreamCommandsModule],
  providers: [{ provide: JobStreams, useClass: StoredJobs }, CancelJobHandler],
})
class JobRepairsModule {}

export const cancelJobs = defineCall({
  name: 'jobs cancel',
  route: 'POST /jobs/cancel',
  ...ofSeveral,
  summary: 'Cancel unfinished jobs, together with their batch, and refund what they cost',
  input: SeveralJobs,
  typed: { jobs: 'argument' },
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
        if (cancelled.kind === 'refused') throw new CallRefused('it ended meanwhile, and stays as it is');
        return undefined;
      },
    ),
});

export const failJobs = defineCall({
  name: 'jobs fail',
  route: 'POST /jobs/fail',
  ...ofSeveral,
  summary: 'Fail jobs whose attempt hangs, and refund what they cost',
  input: FailedJobs,
  typed: { jobs: 'argument' },
  features: [JobRepairsModule],
  run: (operator, input) =>
    each(
      operator,
      input,
      ({ state }) =>
        ended({ state }) ?? (state.status === 'rendering' ? undefined : 'no attempt has begun: cancel it'),
      { done: 'failed and refunded', would: 'would fail and be refunded' },
      async ({ env, job, state }, jobId) => {
        const { code, message } = input;
        const report = { code, message, attempt: attemptOf(state) };
        const context = operator.context(env, job.tenant);
        const failed = await operator.execute(
          new ReportRender(context, jobId, (now, at) => failJob({ ...report, at }, now)),
        );
        if (failed.kind === 'rejected')
          throw new CallRefused('its worker has gone on meanwhile: look at it again');
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
});

export const retryJobs = defineCall({
  name: 'jobs retry',
  route: 'POST /jobs/retry',
  ...ofSeveral,
  summary: 'Order ended jobs again, as new jobs at the present price',
  input: OrderedAgain,
  typed: { jobs: 'argument' },
  idempotent: 'if-sent',
  features: [JobRepairsModule, OperationModule],
  run: (operator, input, { idempotencyKey: key, requestedAt = new Date() }) =>
    each(
      operator,
      input,
      ({ state, job }) => {
        if (isUnfinished(state)) return `only an ended job can be ordered again; this one is ${state.status}`;
        if (state.status === 'succeeded' && !input.succeeded)
          return 'it succeeded: set "succeeded" to order it again, too';
        if (job.childJobIds || job.parentJobId) return 'only its tenant can dispatch a batch again';
        return undefined;
      },
      { done: 'dispatched anew', would: 'would be dispatched anew' },
      (judged, old) => {
        const name = (what: string) => `${what} ${operator.name} ${key} ${old}`;
        const idOf = (what: string) =>
          key === undefined ? newId() : derivedId(name(what), requestedAt.getTime());
        return dispatchAnew(operator, judged, { jobId: idOf('job again'), requestId: idOf('request again') });
      },
      async ({ env, job }) => (await operator.get(Operations).termsOf(env, job.operation)).credits,
    ),
});

const givenUp =
  'an earlier try was given up, and its credits were refunded: try again with another Idempotency-Key';

/**
 * Charges first, as every dispatch does: a crash in between leaves an orphaned charge, which the sweep gives
 * back. If the same ids come again, they find the charge and job of the first try.
 */
async function dispatchAnew(
  operator: Operator,
  { env, job, state }: Judged,
  { jobId, requestId }: { readonly jobId: string; readonly requestId: string },
) {
  const made = (await load(operator.store, streamName(env, 'job', jobId), jobAggregate)).state.status;
  if (made === 'voided') throw new CallRefused(givenUp);
  if (made !== 'unqueued') return { new_job_id: jobId };
  const { tenant, operation } = job;
  const { credits, enabled } = await operator.get(Operations).termsOf(env, operation);
  if (!enabled) throw new CallRefused(`${operation} is disabled at present`);
  const ids = { jobId, requestId, chargeId: requestId };
  const context = { ...operator.context(env, tenant), requestId, commandId: `charge:${jobId}` };
  const at = context.at.toISOString();
  const charge = { ...ids, operation, endpoint: `/v1/${operation}`, amount: credits, at };
  const debited = await operator.execute(new MakeCharges(context, [charge]));
  if (debited.kind === 'rejected') throw new CallRefused(`it cannot be charged: ${debited.rejection.code}`);
  const { testOutcome: _testOutcome, ...order } = job;
  // A failed job is tried with the same seed. For a job that succeeded, the caller wants another picture.
  const seed = state.status === 'succeeded' ? seedOf(job.request) : job.seed;
  const queue = { ...context, commandId: `queue:${jobId}` };
  const queued = await operator.execute(
    new QueueJob(queue, jobId, { ...order, ...ids, seed, creditsCost: credits, at }),
  );
  // JOB_EXISTS: the same request came twice at the same time.
  if (queued.kind === 'rejected' && queued.rejection.code === 'JOB_VOIDED') throw new CallRefused(givenUp);
  return { new_job_id: jobId };
}

import { readForwards } from '#application/aggregate.js';
import { childChargeId } from '#application/dispatch/dispatched-jobs.js';
import { requestIdOfCharge } from '#domain/account/account.events.js';
import type { QueuedJob } from '#domain/job/job.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { callsReadModel } from '#projections/calls/calls.read-model.js';
import { jobsReadModel } from '#projections/jobs/jobs.read-model.js';
import { ledgerReadModel, LedgerRow } from '#projections/ledger/ledger.read-model.js';
import { rendersReadModel } from '#projections/renders/renders.read-model.js';
import { timelineReadModel } from '#projections/timeline/timeline.read-model.js';
import { usageReadModel } from '#projections/usage/usage.read-model.js';
import { columnsOf } from '#read-store/entity-table.js';
import { foldFromNothing } from '#read-store/model-fold.js';
import { deliver } from '#read-store/projected-event.js';
import type { ModelRow } from '#read-store/projection-table.js';
import type { ReadModel } from '#read-store/read-model.js';
import { TextField } from '#validation/fields.js';
import { defineCall } from '#operator-calls/call.js';
import type { Operator } from '#operator-calls/operator.js';
import { printLine, toJson } from '#operator-calls/output.js';
import { happenedThrough } from '../log-reading.js';
import { OneJob, requireJob } from './jobs.js';

/** The read models whose keys begin with the id of the job, its charge or its request. */
const modelsOfJobs: readonly ReadModel<object>[] = [
  jobsReadModel,
  timelineReadModel,
  rendersReadModel,
  callsReadModel,
  usageReadModel,
  ledgerReadModel,
];

class JobAtPosition extends OneJob {
  @TextField({
    description:
      'A position of the log, such as that of one of its events: the rows as they were there. Without it, the present rows.',
    min: 1,
    max: 18,
  })
  position?: string;
}

/**
 * Folds the rows from the events and does not read the tables, so that the tables can be compared with the
 * result.
 */
export const showRowsOfJob = defineCall({
  name: 'jobs rows',
  route: 'GET /jobs/:job/rows',
  may: ['read'],
  summary: 'The rows of the read models about one job, as they were at any position of the log',
  input: JobAtPosition,
  async run(operator, { job: jobId, position }) {
    const isWithin = happenedThrough(position);
    const { env, job } = await requireJob(operator, jobId);
    const events = (await eventsAbout(operator, env, job)).filter(isWithin);
    const deliveries = events.map(deliver).filter((delivery) => delivery !== undefined);
    const ids = new Set<unknown>([jobId, job.requestId, job.chargeId]);
    const models = modelsOfJobs.map((model) => {
      const { active, upserts, parked } = foldFromNothing(env, model, deliveries);
      const rows = upserts.filter((row) => ids.has(active.table.keyOfRow(row)[0]));
      return {
        name: model.name,
        version: model.version,
        rows: rows.map((row) => asStored(model, row)),
        /** The events that this read model cannot take, of streams that are about the job. */
        parked: parked.map(({ recorded: { stream, revision } }) => ({ stream, revision: Number(revision) })),
      };
    });
    return { job_id: jobId, env, position: events.at(-1)?.position ?? null, models };
  },
  print: ({ models }) => {
    for (const { name, rows } of models) for (const row of rows) printLine(`${name}\n${toJson(row, 2)}\n`);
  },
});

/** The row under the names of the table's columns. */
function asStored({ entity }: ReadModel<object>, row: ModelRow): ModelRow {
  return Object.fromEntries(columnsOf(entity).map(({ column, property }) => [column, row[property] ?? null]));
}

/** The events that the rows of a job and of its request are made of, in the order of the log. */
async function eventsAbout(operator: Operator, env: Environment, job: QueuedJob): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  // The request of a batch is the parent's request.
  for (const id of [job.parentJobId, job.jobId])
    if (id !== null)
      for await (const page of readForwards(operator.store, streamName(env, 'job', id), 0n))
        events.push(...page);
  events.push(...(await chargesOf(operator, env, job)));
  return events.sort((one, other) => (one.position < other.position ? -1 : 1));
}

/**
 * An account's stream is long. So it reads only from the request's first charge, which the ledger knows, until
 * the last one is closed.
 */
async function chargesOf(
  operator: Operator,
  env: Environment,
  { tenant, requestId, chargeId }: QueuedJob,
): Promise<RecordedEvent[]> {
  const ledger = (await operator.readModels(env)).getRepository(LedgerRow);
  const id = chargeId === requestId ? chargeId : childChargeId(requestId, 0);
  const from = BigInt((await ledger.findOneBy({ id }))?.revision ?? 0);
  const events: RecordedEvent[] = [];
  let open = 0;
  for await (const page of readForwards(operator.store, streamName(env, 'account', tenant), from))
    for (const event of page) {
      // Among the events of an account, only those of a charge have its id.
      const charge = (event.data as { readonly chargeId?: string }).chargeId;
      if (charge === undefined || requestIdOfCharge(charge) !== requestId) continue;
      events.push(event);
      open += event.type === 'CreditsDebited' ? 1 : -1;
      // All charges of a request are made in one append, before the first of them is closed.
      if (open === 0) return events;
    }
  return events;
}

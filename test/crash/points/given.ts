import { setTimeout as sleep } from 'node:timers/promises';
import { handle } from '#application/aggregate.js';
import { toNewEvent } from '#application/command-context.js';
import { childrenOf, jobsToCharge } from '#application/dispatch/dispatched-jobs.js';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { approveClosing, proposeClosing } from '#capabilities/erasure/closing/closing.js';
import { Closings } from '#capabilities/erasure/closing/closings.handler.js';
import { GrantRelease, SetReleaseRule } from '#capabilities/releases/manage-releases.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import type { QueuedJob } from '#domain/job/job.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { workflowOf } from '#workflows/workflows.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { newId } from '#platform/ids.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { hashBody } from '#application/dispatch/idempotency.js';
import { Client } from './client.js';
import { endless } from './engine.js';
import type { Customer, World } from './world.js';
import { commandBusOn } from '../../support/command-bus.js';
import { byOperator, grantCredits } from '../../support/operator.js';

/** The state before a scenario: pictures, and the remains of processes that died earlier. */

const direct = 'product-to-model-direct';
const batch = 'pdp-batch-extractions';
const eventsBetweenSnapshots = 250;

export interface Photo {
  readonly pdp_image_public_id: string;
  readonly product_name: string;
}

export async function picture(world: World, { tenant }: Customer): Promise<string> {
  return (await world.upload(tenant)).storageKey;
}

/** The engine never finishes a photograph with the number `endless`. */
export async function twoPhotographs(world: World, { tenant }: Customer, endless?: number): Promise<Photo[]> {
  const uploads = await Promise.all(['#f00', '#00f'].map((colour) => world.upload(tenant, colour)));
  return uploads.map(({ assetId }, index) => ({
    pdp_image_public_id: assetId,
    product_name: String(endless ?? index),
  }));
}

/** Makes an account that is due for a snapshot after so many more events. */
export function dueForSnapshot(after: number) {
  return async (world: World, customer: Customer): Promise<string> => {
    const purchase = { amount: 1, kind: 'pack', label: 'Pack' } as const;
    const grant = () => grantCredits(world.accounts, byOperator('test', customer.tenant), purchase);
    // The account was opened and has bought credits once.
    await Promise.all(Array.from({ length: eventsBetweenSnapshots - 3 - after }, grant));
    return picture(world, customer);
  };
}

/** Charges as a dispatch makes them, with its ids. */
async function debit(
  world: World,
  { tenant }: Customer,
  operation: string,
  body: Readonly<Record<string, unknown>>,
  ids: DispatchIds,
  at = new Date(),
): Promise<void> {
  const workflow = workflowOf(operation);
  const facts = { requestId: ids.requestId, operation, endpoint: `/v1/${operation}` };
  const amount = workflowOf(workflow.batch?.workflow ?? operation).credits;
  const commands = jobsToCharge(workflow, body, ids).map((charge) => ({
    ...charge,
    ...facts,
    amount,
    at: at.toISOString(),
  }));
  const context = {
    ...byOperator('test', tenant),
    commandId: `debit:${ids.requestId}`,
    requestId: ids.requestId,
  };
  await world.accounts.execute(context, (account) => debitCredits(commands, account));
}

/** A job that is being rendered, with a projector that started later. The engine never finishes the job. */
export async function renderingSince(world: World, customer: Customer): Promise<string> {
  const client = new Client(world, customer, AbortSignal.timeout(30_000));
  const body = { product_image_s3_key: await picture(world, customer), display_name: endless, seed: 7 };
  const [answer] = await client.dispatchUntilAnswered(direct, body);
  const { jobId } = answer!;
  while (!(await jobTypes(world, jobId)).includes('StageCompleted')) await sleep(20);
  const behind = `select from read_store.projections where environment = 'test' and position < $1`;
  await nobodyIsBehind(world, streamName('test', 'job', jobId), behind);
  await world.hosts.projector.replace();
  return jobId;
}

/** Waits until a query of the consumers that are behind a stream's last event finds none. */
async function nobodyIsBehind({ events, pool }: World, stream: string, behind: string): Promise<void> {
  const slice = await events.store.readStream(stream, { direction: 'backwards', limit: 1 });
  const position = slice.kind === 'found' ? slice.events[0]!.position : 0n;
  while ((await pool.query(behind, [position])).rowCount !== 0) await sleep(20);
}

const hourMs = 60 * 60 * 1_000;

/**
 * A slow try: another try with its key has fenced off its job, and every process knows that. The slow one
 * charges all the same.
 */
export async function fencedOff(world: World, { tenant }: Customer): Promise<DispatchIds> {
  const ids = { requestId: newId(), jobId: newId() };
  const fence = {
    chargeId: ids.requestId,
    tenant,
    reason: 'orphaned',
    at: new Date().toISOString(),
  } as const;
  const event = toNewEvent({ type: 'JobVoided', data: fence }, 0, byOperator('test', tenant));
  const stream = streamName('test', 'job', ids.jobId);
  await world.events.store.append(stream, 'no-stream', [event]);
  // After that it is not delivered again.
  const behind = `select where not exists
    (select from test.process_checkpoints where process = 'charge-closer' and position >= $1)`;
  await nobodyIsBehind(world, stream, behind);
  return ids;
}

/** Debited an hour ago, and never queued. */
export async function oldDebit(
  world: World,
  customer: Customer,
  ids: DispatchIds = { requestId: newId(), jobId: newId() },
): Promise<void> {
  await debit(world, customer, direct, {}, ids, new Date(Date.now() - hourMs));
}

/** The remains of a try that died with an Idempotency-Key: its ids, and its charge if it got that far. */
export async function abandonedTry(world: World, customer: Customer, charge: 'charged' | 'uncharged') {
  const body = { product_image_s3_key: await picture(world, customer), display_name: '', seed: 7 };
  const ids = { requestId: newId(), jobId: newId() };
  const key = newId();
  const keys = new PostgresIdempotencyStore(world.pool, -1);
  const named = { environment: 'test', tenant: customer.tenant, endpoint: `/v1/${direct}`, key } as const;
  await keys.begin({ ...named, bodyHash: hashBody(body) }, ids);
  if (charge === 'charged') await debit(world, customer, direct, body, ids);
  return { body, key };
}

/** Debited, and the parent queued; its photographs are not. */
export async function abandonedBatch(
  world: World,
  customer: Customer,
  photos: readonly Photo[],
): Promise<void> {
  const { tenant } = customer;
  const ids = { requestId: newId(), jobId: newId() };
  const body = { photos };
  const workflow = workflowOf(batch);
  await debit(world, customer, batch, body, ids);
  const charges = jobsToCharge(workflow, body, ids);
  const inputs = await Promise.all(
    photos.map(async ({ pdp_image_public_id: assetId }, index) => {
      const slice = await world.events.store.readStream(streamName('test', 'asset', assetId));
      if (slice.kind !== 'found') throw new Error(`${assetId} was not uploaded`);
      const { storageKey, sha256 } = slice.events[0]!.data as { storageKey: string; sha256: string };
      return { name: `photo-${index}`, assetId, storageKey, sha256 };
    }),
  );
  const job: QueuedJob = {
    ...ids,
    tenant,
    chargeId: null,
    parentJobId: null,
    displayName: '',
    seed: 7,
    operation: batch,
    jobType: workflow.jobType,
    request: body,
    inputs,
    creditsCost: workflowOf(workflow.batch!.workflow).credits * charges.length,
    childJobIds: charges.map(({ jobId }) => jobId),
    at: new Date().toISOString(),
  };
  if (childrenOf(job).length !== photos.length) throw new Error('a photograph would have no job');
  const context = {
    ...byOperator('test', tenant),
    commandId: `queue:${ids.jobId}`,
    requestId: ids.requestId,
  };
  const event = toNewEvent({ type: 'JobQueued', data: job }, 0, context);
  await world.events.store.append(streamName('test', 'job', ids.jobId), 'no-stream', [event]);
}

export async function jobTypes({ events }: World, jobId: string): Promise<string[]> {
  const slice = await events.store.readStream(streamName('test', 'job', jobId));
  return slice.kind === 'found' ? slice.events.map(({ type }) => type) : [];
}

/**
 * Does the first step of a cancel and stops, as a cancel does that dies there: nothing is refunded, and a
 * batch's jobs go on.
 */
export async function cancelAlone(world: World, tenant: string, jobId: string): Promise<void> {
  const command = { reason: 'Cancelled by the caller.', at: new Date().toISOString() };
  const stream = streamName('test', 'job', jobId);
  const decide = (job: typeof jobAggregate.initial) => cancelJob(command, job);
  await handle(world.events.store, stream, jobAggregate, decide, byOperator('test', tenant));
}

/** A picture of a person whose release the tenant requires. */
export async function releaseOfPerson(world: World, { tenant }: Customer) {
  const dataSubject = 'ann';
  const { storageKey } = await world.upload(tenant, '#987', { dataSubjects: [dataSubject] });
  const commands = commandBusOn({ store: world.events.store });
  const context = byOperator('test', tenant);
  const releaseId = newId();
  const all = { workflows: [], uses: [], territories: [], expiresAt: null, fee: null, document: null };
  await commands.execute(new GrantRelease(context, releaseId, { ...all, dataSubject }));
  const rule = new SetReleaseRule(byOperator('test', tenant), tenant, { required: true });
  await commands.execute(rule);
  return { storageKey, releaseId };
}

/** Two operators agree on a closing without notice. The projector does the rest. */
export async function closeAtOnce({ events }: World, tenant: string): Promise<void> {
  const closings = new Closings(events.store);
  const at = new Date().toISOString();
  await closings.write(byOperator('test', tenant), (state) =>
    proposeClosing({ tenant, noticeDays: 0, by: 'one', at }, state),
  );
  await closings.write(byOperator('test', tenant), (state) =>
    approveClosing({ by: 'another', suspended: false, at }, state),
  );
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { load } from '#application/aggregate.js';
import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { evolveJob, initialJob, type QueuedJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { systemClock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { LedgerReader } from '#projections/ledger/ledger.reader.js';
import { readModelEntities } from '#projections/read-models.js';
import { createDataSource } from '#read-store/data-source.js';
import { ApiService, contextOf, type Tenant, type TenantOptions } from './support/api-service.js';
import { expectError, type Answer, type ApiClient, type Json } from './support/api-client.js';
import { closeCharge } from './support/finish-job.js';
import { uploadPicture } from './support/made-pictures.js';
import { switchOperation } from '../support/operator.js';
import { commandBusOn, dispatcherOn } from '../support/command-bus.js';

const path = '/v1/pdp-batch-extractions';

let service: ApiService;
let api: ApiClient;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());

type Photo = { pdp_image_public_id: string };

async function shoot(photos: number, options: TenantOptions): Promise<[Tenant, { photos: Photo[] }]> {
  const tenant = await service.openTenant(options);
  const uploads = await Promise.all(Array.from({ length: photos }, () => uploadPicture(api, tenant)));
  return [tenant, { photos: uploads.map(({ assetId }) => ({ pdp_image_public_id: assetId })) }];
}

const read = async (what: string, { key }: Tenant, via = api): Promise<Json> =>
  (await via.get(`/v1/${what}`, key)).body;

async function queuedJob({ environment }: Tenant, jobId: string): Promise<QueuedJob> {
  const stream = streamName(environment, 'job', jobId);
  const { state } = await load(service.store, stream, { initial: initialJob, evolve: evolveJob });
  if (!('job' in state)) throw new Error(`${jobId} is not queued`);
  return state.job;
}

/** Charges a batch, then fails, as an API does that is killed before it can queue a job. */
async function dispatchAndDie(tenant: Tenant, body: { photos: Photo[] }): Promise<void> {
  const append: EventStore['append'] = (stream, expected, events) =>
    stream.includes('.job-')
      ? Promise.reject(new Error('killed'))
      : service.store.append(stream, expected, events);
  const store = Object.assign(Object.create(service.store) as EventStore, { append });
  const { environment, id, keyId } = tenant;
  const dying = dispatcherOn(store, service.accounts);
  const asked = {
    caller: { environment, tenant: id, keyId, capabilities: ['jobs:create' as const] },
    workflow: 'pdp-batch-extractions',
    endpoint: path,
    body: { ...body },
    at: new Date(),
  };
  const dispatched = dying.dispatch(asked, { requestId: newId(), jobId: newId() });
  await expect(dispatched).rejects.toThrow('killed');
}

/** Runs the sweep that the projector runs every half minute, but on charges of any age. */
async function sweep(environment: Tenant['environment']): Promise<unknown> {
  const settings = { url: service.databaseUrl, schema: environment, entities: readModelEntities };
  const dataSource = await createDataSource(settings).initialize();
  try {
    return await sweepOrphans({
      environment,
      commands: commandBusOn(service),
      clock: systemClock,
      openCharges: new LedgerReader(dataSource),
      orphanHorizonMs: 0,
      logger: createLogger('test', 'silent'),
    });
  } finally {
    await dataSource.destroy();
  }
}

/** Rows of the usage log, without the uploads of the photographs. */
async function dispatchesOf(tenant: Tenant, via = api): Promise<Json[]> {
  const { items } = await read('usage', tenant, via);
  return (items as Json[]).filter(({ endpoint }) => endpoint !== '/v1/uploads');
}

async function expectNothingHappened(
  tenant: Tenant,
  balance: number,
  refused: number,
  via = api,
): Promise<void> {
  expect((await read('credits', tenant, via)).balance).toBe(balance);
  expect((await read('jobs', tenant, via)).count).toBe(0);
  const operations = (await read('transactions', tenant, via)).items.filter(
    (item: Json) => item.kind === 'operation',
  );
  expect(operations).toEqual([]);
  const dispatches = await dispatchesOf(tenant, via);
  expect(dispatches.map((item) => [item.status, item.http_status, item.credits_charged])).toEqual([
    ['FAILED', refused, 0],
  ]);
}

describe('a batch', () => {
  it('costs the price of one photograph for each, and answers with the parent', async () => {
    const [tenant, body] = await shoot(3, { credits: 20 });
    const answer = await api.post(path, tenant.key, body);
    expect(answer).toMatchObject({ status: 202, body: { status: 'NOT_STARTED', credits_cost: 12 } });
    const { job_id: parent, request_id: requestId } = answer.body;

    expect(await read('credits', tenant)).toMatchObject({ balance: 8, daily_spend_today: 12 });
    const row = { request_id: requestId, status: 'PENDING', credits_charged: 12, job_id: parent };
    const dispatches = await dispatchesOf(tenant);
    expect(dispatches).toHaveLength(1);
    expect(dispatches).toMatchObject([row]);
    const ledger = (await read('transactions', tenant)).items.filter(
      (item: Json) => item.kind === 'operation',
    );
    expect(ledger).toHaveLength(3);
    expect(ledger.map((item: Json) => [item.credits_delta, item.status])).toEqual(
      Array.from({ length: 3 }, () => [-4, 'PENDING']),
    );
  });

  it('shows a job for each photograph, in their order, beside its own', async () => {
    const [tenant, body] = await shoot(4, { credits: 20 });
    const { job_id: parent } = (await api.post(path, tenant.key, body)).body;
    const detail = await read(`jobs/${parent}`, tenant);
    expect(detail).toMatchObject({ job_type: 'PDP_BATCH_EXTRACTION', credits_cost: 16, parent_job_id: null });
    const children = detail.children.map((child: Json) => child.public_id) as string[];
    expect(new Set(children).size).toBe(4);

    const listed = (await read('jobs', tenant)).jobs.map((job: Json) => job.public_id) as string[];
    expect(listed).toHaveLength(5);
    expect(new Set(listed)).toEqual(new Set([parent, ...children]));
    for (const [index, child] of children.entries()) {
      expect(await read(`jobs/${child}`, tenant)).toMatchObject({
        job_type: 'PDP_EXTRACTION',
        parent_job_id: parent,
        credits_cost: 4,
        children: [],
      });
      const { inputs, childIndex } = await queuedJob(tenant, child);
      expect([childIndex, inputs]).toMatchObject([
        index,
        [{ assetId: body.photos[index]?.pdp_image_public_id }],
      ]);
    }
  });

  it('is one row of the usage log to its end, with what became of all its charges', async () => {
    const [tenant, body] = await shoot(2, { credits: 8 });
    const { request_id: requestId, job_id: parent } = (await api.post(path, tenant.key, body)).body;
    await closeCharge(service, tenant, `${requestId}.0`, 'refund');
    await closeCharge(service, tenant, `${requestId}.1`, 'settle');
    await api.post('/v1/model-generator', tenant.key, {});
    const items = await dispatchesOf(tenant);
    expect(items).toHaveLength(2);
    expect(items[1]).toMatchObject({
      request_id: requestId,
      job_id: parent,
      status: 'SUCCESS',
      credits_charged: 8,
      credits_refunded: 4,
    });
    expect((await read('credits', tenant)).balance).toBe(4);
  });

  it('whose sum is beyond the balance is refused, although a photograph alone is not', async () => {
    const [tenant, body] = await shoot(3, { credits: 11 });
    expectError(await api.post(path, tenant.key, body), 402, 'INSUFFICIENT_BALANCE');
    await expectNothingHappened(tenant, 11, 402);
  });

  it('whose sum is beyond the daily cap is refused, although a photograph alone is not', async () => {
    const [tenant, body] = await shoot(3, { credits: 100, terms: { dailySpendCapCredits: 11 } });
    expectError(await api.post(path, tenant.key, body), 402, 'DAILY_SPEND_CAP_EXCEEDED');
    await expectNothingHappened(tenant, 100, 402);
  });

  it('with one photograph that is unknown costs nothing', async () => {
    const [tenant, body] = await shoot(2, { credits: 100 });
    const photos = [...body.photos, { pdp_image_public_id: newId() }];
    const answer = await api.post(path, tenant.key, { photos });
    expectError(answer, 404, 'RESOURCE_NOT_FOUND');
    expect(answer.body.error.message).toContain('photos[2].pdp_image_public_id');
    expect((await read('credits', tenant)).balance).toBe(100);
    expect((await read('jobs', tenant)).count).toBe(0);
  });

  it('sent again with its Idempotency-Key is the same batch', async () => {
    const [tenant, body] = await shoot(2, { credits: 100 });
    const send = (): Promise<Answer> => api.post(path, tenant.key, body, { 'idempotency-key': 'shoot' });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await read('jobs', tenant)).count).toBe(3);
    expect((await read('credits', tenant)).balance).toBe(92);
    expect(await dispatchesOf(tenant)).toHaveLength(1);
  });

  it('whose API was killed between its charges and its jobs is given back whole', async () => {
    const [tenant, body] = await shoot(3, { credits: 12, environment: 'test' });
    await dispatchAndDie(tenant, body);
    expect((await read('credits', tenant)).balance).toBe(0);
    // This read waits for a write later than the charges, so the ledger has them.
    await api.post(path, tenant.key, body);
    expect((await read('transactions', tenant)).items).toHaveLength(4);
    expect(await sweep('test')).toEqual({ refunded: 3, closed: 0, spared: 0, failed: 0 });

    expect((await read('credits', tenant)).balance).toBe(12);
    expect((await read('jobs', tenant)).count).toBe(0);
    const { status, body: accepted } = await api.post(path, tenant.key, body);
    expect(status).toBe(202);
    const items = await dispatchesOf(tenant);
    expect(items.map((item) => [item.status, item.credits_charged, item.credits_refunded])).toEqual([
      ['PENDING', 12, 0],
      ['FAILED', 0, 0],
      ['REFUNDED', 12, 12],
    ]);
    expect(items[0]!.job_id).toBe(accepted.job_id);
  });

  it('is refused while what it is made of is disabled, and that stands in the usage log', async () => {
    const [tenant, body] = await shoot(1, { credits: 100, environment: 'test' });
    const operator = () => contextOf('test', 'installation');
    const off = { enabled: false, reason: 'tests' };
    await switchOperation(service.store, operator(), 'pdp-extractions', off);
    // This process has never read the price, so it has none in memory.
    const fresh = await service.openApi();
    const answer = await fresh.post(path, tenant.key, body);
    await switchOperation(service.store, operator(), 'pdp-extractions', { ...off, enabled: true });
    expectError(answer, 403, 'OPERATION_DISABLED');
    await expectNothingHappened(tenant, 100, 403, fresh);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { startRender } from '#domain/job/render-job.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { createLogger } from '#platform/logger.js';
import { newId } from '#platform/ids.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { complaints, expectError, type Answer } from '../../../test/api/support/api-client.js';
import type { Tenant } from '../../../test/api/support/api-service.js';
import { decideFor } from '../../../test/api/support/finish-job.js';
import { aPicture, succeedWith } from '../../../test/api/support/made-pictures.js';
import { openWorld } from '../../../test/api/support/world.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { configurationOn, startProjector } from '../../../test/support/roles.js';
import { testKeys } from '../../../test/support/signing-key.js';
import { untilEnd } from '../../../test/support/until-end.js';

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');
const { service, api } = await openWorld({ projector: false });
const elsewhere = await service.openApi();

untilEnd({ [Symbol.asyncDispose]: await startWholeProjector() });

let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 1_000 });
});

/** A projector with its process managers and housekeeping. Specs append the events of renders. */
async function startWholeProjector(): Promise<() => Promise<void>> {
  const { databaseUrl } = service;
  const { store, snapshots, close } = await openEventStore(
    { eventStoreUrl: databaseUrl, databaseUrl },
    { ...testKeys },
  );
  const configured = configurationOn(databaseUrl);
  const tasks = await PgBossRenderQueue.start({ url: databaseUrl, logger });
  const idle = { enqueue: () => Promise.resolve(), requeue: () => Promise.resolve(0) };
  const queue = Object.assign(Object.create(tasks) as PgBossRenderQueue, idle);
  const { stop } = await startProjector({
    store,
    snapshots,
    logger,
    configuration: { ...configured, projector: { ...configured.projector, sweepIntervalMs: 200 } },
    queue,
  });
  return async () => {
    await stop();
    await tasks.stop(0);
    await close();
  };
}

const post = (path: string, json: object, { key } = tenant) => api.post(`/v1/${path}`, key, json);
const get = (path: string, { key } = tenant) => api.get(`/v1/${path}`, key);

async function photographOf(name?: string): Promise<string> {
  const form = new FormData();
  if (name !== undefined) form.append('data_subject', name);
  form.append('file', new Blob([new Uint8Array(await aPicture())], { type: 'image/png' }), 'p.png');
  const { body } = await api.call('POST', '/v1/uploads', { key: tenant.key, body: form });
  return body.asset_id as string;
}

const require = (change: object = {}) =>
  api.call('PATCH', '/v1/release-rule', { key: tenant.key, json: { required: true, ...change } });
const grant = async (name: string, terms: object = {}): Promise<string> => {
  const { status, body } = await post('releases', { data_subject: name, ...terms });
  expect({ status, error: body.error }).toEqual({ status: 201, error: undefined });
  return body.public_id as string;
};
const withdraw = (id: string) => post(`releases/${id}/withdraw`, {});
const extract = (image: string, client = api): Promise<Answer> =>
  client.post('/v1/extract', tenant.key, { trial_image: image });
const balance = async () => (await get('credits')).body.balance as number;

async function accepted(answer: Promise<Answer>): Promise<string> {
  const { status, body } = await answer;
  expect({ status, error: body.error }).toEqual({ status: 202, error: undefined });
  return body.job_id as string;
}

const jobIs = (jobId: string, status: string) =>
  eventually(async () => (await get(`jobs/${jobId}`)).body.status === status);
const begin = (jobId: string) => {
  const at = new Date().toISOString();
  return decideFor(service, tenant, jobId, (job) => startRender({ worker: 'w', at }, job));
};

describe('a release', () => {
  it('is granted, shown, listed, revised and withdrawn', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const terms = { workflows: ['try-on'], uses: ['e-commerce'], territories: ['de'], expires_at };
    const fee = { fee_amount: 250, fee_currency: 'eur' };
    const id = await grant('Anna', { ...terms, ...fee, document: 'contracts/17.pdf' });
    const shown = (await get(`releases/${id}`)).body;
    expect(shown).toEqual({
      public_id: id,
      data_subject: 'Anna',
      ...terms,
      territories: ['DE'],
      fee: { amount: 250, unit: 'EUR' },
      document: 'contracts/17.pdf',
      status: 'active',
      granted_at: expect.stringMatching(/Z$/),
      ended_at: null,
    });
    const other = await grant('Ben');
    expect((await get('releases')).body).toMatchObject({
      total: 2,
      items: [{ public_id: other }, { public_id: id }],
    });
    expect((await get('releases?data_subject=Anna')).body.items).toEqual([shown]);
    const revised = await post(`releases/${id}/revise`, { fee_credits: 2 });
    expect(revised.body).toMatchObject({
      workflows: [],
      expires_at: null,
      fee: { amount: 2, unit: 'credits' },
    });
    const ended = await post(`releases/${id}/withdraw`, { reason: 'Asked by mail.' });
    expect(ended.body).toMatchObject({ status: 'withdrawn', ended_at: expect.any(String) });
    expect((await withdraw(id)).body).toEqual(ended.body);
    expect((await get('releases?status=withdrawn')).body.total).toBe(1);
    expectError(await post(`releases/${id}/revise`, {}), 409, 'RELEASE_ENDED');
  });

  it.each([
    [{ fee_credits: 1, fee_amount: 1, fee_currency: 'EUR' }, 'body.fee_amount'],
    [{ fee_amount: 1 }, 'body.fee_currency'],
    [{ fee_currency: 'EUR' }, 'body.fee_amount'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'body.expires_at'],
    [{ workflows: ['nonsense'] }, 'body.workflows.0'],
  ])('with %j is refused', async (terms, field) => {
    const answer = await post('releases', { data_subject: 'Anna', ...terms });
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(complaints(answer)).toEqual([field]);
  });

  it('of another tenant does not exist', async () => {
    const id = await grant('Anna');
    const stranger = await service.openTenant();
    for (const path of [`releases/${id}`, `releases/${id}/uses`])
      expectError(await get(path, stranger), 404, 'RESOURCE_NOT_FOUND');
    for (const verb of ['revise', 'withdraw'])
      expectError(await post(`releases/${id}/${verb}`, {}, stranger), 404, 'RESOURCE_NOT_FOUND');
    expect((await get('releases', stranger)).body.items).toEqual([]);
    expect((await get(`releases/${id}`)).body.status).toBe('active');
  });
});

describe('a dispatch about a person', () => {
  it('needs no release before the tenant says so', async () => {
    expect((await get('release-rule')).body).toEqual({ required: false, uses: [], territories: [] });
    await accepted(extract(await photographOf('Anna')));
  });

  it('is refused without a release where the tenant requires one: it says who and what to do, and charges nothing', async () => {
    await require();
    const image = await photographOf('Anna');
    const refused = await extract(image);
    expectError(refused, 403, 'RELEASE_REQUIRED');
    expect(refused.body.error.message).toBe(
      'No release of "Anna" covers extract now. Nothing was charged: grant one with POST /v1/releases, or leave out the pictures of this person.',
    );
    const dry = await post('extract?dry_run=true', { trial_image: image });
    expectError(dry, 403, 'RELEASE_REQUIRED');
    expect(await balance()).toBe(1_000);
    expect((await get('usage')).body.items[0]).toMatchObject({
      error_code: 'RELEASE_REQUIRED',
      credits_charged: 0,
    });
    // Without a person nothing is asked.
    await accepted(extract(await photographOf()));
  });

  it('is accepted right after the answer of the grant, and refused right after that of the withdrawal', async () => {
    await require();
    const image = await photographOf('Anna');
    for (let time = 0; time < 5; time++) {
      const id = await grant('Anna');
      await accepted(extract(image));
      await withdraw(id);
      expectError(await extract(image), 403, 'RELEASE_REQUIRED');
    }
  });

  it('is refused by other processes soon after the withdrawal, and by one that starts later', async () => {
    await require();
    const image = await photographOf('Anna');
    const id = await grant('Anna');
    await eventually(async () => (await extract(image, elsewhere)).status === 202);
    await withdraw(id);
    await eventually(async () => (await extract(image, elsewhere)).status === 403);
    const later = await service.openApi();
    expectError(await extract(image, later), 403, 'RELEASE_REQUIRED');
    await grant('Anna');
    await eventually(async () => (await extract(image, later)).status === 202);
  });

  it('needs a release for its workflow, and for all that the tenant uses pictures for', async () => {
    await require({ uses: ['e-commerce'], territories: ['de'] });
    const image = await photographOf('Anna');
    const purpose = { uses: ['e-commerce', 'social'], territories: ['DE', 'AT'] };
    await grant('Anna', { ...purpose, workflows: ['try-on'] });
    await grant('Anna', { ...purpose, uses: ['social'] });
    await grant('Anna', { ...purpose, territories: ['AT'] });
    expectError(await extract(image), 403, 'RELEASE_REQUIRED');
    await grant('Anna', { ...purpose, workflows: ['extract'] });
    await accepted(extract(image));
  });

  it('needs one for each person of the body and of the pictures; a batch, for its photographs', async () => {
    await require();
    await grant('Anna', { workflows: ['pdp-extractions'] });
    const photos = [
      { pdp_image_public_id: await photographOf('Anna') },
      { pdp_image_public_id: await photographOf(), data_subject: 'Ben' },
    ];
    const refused = await post('pdp-batch-extractions', { photos });
    expectError(refused, 403, 'RELEASE_REQUIRED');
    expect(refused.body.error.message).toContain('"Ben"');
    await grant('Ben');
    await accepted(post('pdp-batch-extractions', { photos }));
  });
});

describe('a release that ends', () => {
  it('stops what has not begun, refunded, and leaves what has begun', async () => {
    const image = await photographOf('Anna');
    const id = await grant('Anna');
    const [waiting, begun] = [await accepted(extract(image)), await accepted(extract(image))];
    await begin(begun);
    const other = await accepted(extract(await photographOf('Ben')));
    const cost = (1_000 - (await balance())) / 3;
    await withdraw(id);
    await jobIs(waiting, 'FAILURE');
    const { error } = (await get(`jobs/${waiting}`)).body;
    expect(error).toEqual({ code: 'CANCELLED', message: expect.stringContaining('release') });
    await eventually(async () => (await balance()) === 1_000 - 2 * cost);
    expect((await get(`jobs/${begun}`)).body.status).toBe('IN_PROGRESS');
    expect((await get(`jobs/${other}`)).body.status).toBe('NOT_STARTED');
  });

  it('stops the same by its expiry, which is recorded', async () => {
    const image = await photographOf('Anna');
    await require();
    const id = await grant('Anna', { expires_at: new Date(Date.now() + 3_000).toISOString() });
    const waiting = await accepted(extract(image));
    await jobIs(waiting, 'FAILURE');
    await eventually(async () => (await get('releases?status=expired')).body.total === 1);
    expect((await get(`releases/${id}`)).body.status).toBe('expired');
    expectError(await extract(image), 403, 'RELEASE_REQUIRED');
    await eventually(async () => (await balance()) === 1_000);
  });

  it('stops what its new terms do not allow any more', async () => {
    const image = await photographOf('Anna');
    const id = await grant('Anna');
    const waiting = await accepted(extract(image));
    await post(`releases/${id}/revise`, { workflows: ['try-on'] });
    await jobIs(waiting, 'FAILURE');
  });

  it('stops a batch that has not begun, and the photographs of one that has', async () => {
    const photos = [
      { pdp_image_public_id: await photographOf('Anna') },
      { pdp_image_public_id: await photographOf('Ben') },
    ];
    const id = await grant('Anna');
    const [first, second] = [
      await accepted(post('pdp-batch-extractions', { photos })),
      await accepted(post('pdp-batch-extractions', { photos })),
    ];
    await begin(second);
    await withdraw(id);
    await jobIs(first, 'FAILURE');
    await eventually(async () => {
      const { children } = (await get(`jobs/${second}`)).body;
      return (children as { status: string }[]).map(({ status }) => status).join() === 'FAILURE,NOT_STARTED';
    });
  });

  it('stops a job that another process dispatched before it heard of the end', async () => {
    await require();
    const image = await photographOf('Anna');
    // What the other process accepts before it hears of the rule needs no release, so no end stops it.
    const dry = () => elsewhere.post('/v1/extract?dry_run=true', tenant.key, { trial_image: image });
    await eventually(async () => (await dry()).status === 403);
    const id = await grant('Anna');
    await eventually(async () => (await extract(image, elsewhere)).status === 202);
    // The other process is asked in the same moment, so some of its dispatches come after the end.
    const late = Array.from({ length: 10 }, () => extract(image, elsewhere));
    await withdraw(id);
    const answers = await Promise.all(late);
    const jobs = answers.filter(({ status }) => status === 202);
    await Promise.all(jobs.map(({ body }) => jobIs(body.job_id as string, 'FAILURE')));
    await eventually(async () => (await balance()) === 1_000);
  });
});

describe('the uses of a release', () => {
  it('are counted by job, with the fees of their time; jobs that fail owe none', async () => {
    const image = await photographOf('Anna');
    const id = await grant('Anna', { fee_amount: 250, fee_currency: 'EUR' });
    const made = await accepted(extract(image));
    await post(`releases/${id}/revise`, { fee_amount: 300, fee_currency: 'EUR' });
    const [dearer, failed] = [await accepted(extract(image)), await accepted(extract(image))];
    for (const jobId of [made, dearer]) await succeedWith(service, tenant, jobId, [{ kind: 'garment' }]);
    await post(`jobs/${failed}/cancel`, {});
    await Promise.all([jobIs(made, 'SUCCESS'), jobIs(dearer, 'SUCCESS'), jobIs(failed, 'FAILURE')]);
    const { body } = await get(`releases/${id}/uses?limit=2`);
    const use = (jobId: string, status: string, amount: number) => ({
      job_id: jobId,
      operation: 'extract',
      status,
      used_at: expect.stringMatching(/Z$/),
      fee: { amount, unit: 'EUR' },
    });
    expect(body).toEqual({
      items: [use(failed, 'FAILURE', 300), use(dearer, 'SUCCESS', 300)],
      total: 3,
      limit: 2,
      offset: 0,
      owed: [{ amount: 550, unit: 'EUR', jobs: 2 }],
    });
    const csv = await get(`releases/${id}/uses?format=csv`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (csv.body as string).trim().split('\n');
    expect(lines[0]).toBe('job_id,operation,status,used_at,fee_amount,fee_unit');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual([failed, dearer, made]);
    expect(lines[3]).toMatch(/,250,EUR$/);
    const none = await get(`releases/${id}/uses?until=2020-01-01T00:00:00Z`);
    expect(none.body).toMatchObject({ items: [], total: 0, owed: [] });
  });

  it('count the photographs of a batch, and not the batch', async () => {
    const id = await grant('Anna');
    const photos = [
      { pdp_image_public_id: await photographOf('Anna') },
      { pdp_image_public_id: await photographOf() },
    ];
    const batch = await accepted(post('pdp-batch-extractions', { photos, data_subject: 'Anna' }));
    // The photographs are queued after the batch.
    const used = () => get(`releases/${id}/uses`);
    await eventually(async () => (await used()).body.total === photos.length);
    const { children } = (await get(`jobs/${batch}`)).body;
    const ids = (rows: Record<string, string>[], field: string) => new Set(rows.map((row) => row[field]));
    expect(ids((await used()).body.items, 'job_id')).toEqual(ids(children, 'public_id'));
  });

  it('do not begin before the release', async () => {
    const image = await photographOf('Anna');
    await accepted(extract(image));
    const id = await grant('Anna');
    expect((await get(`releases/${id}/uses`)).body.total).toBe(0);
  });
});

it('the audit holds after all of this', async () => {
  expectError(await get(`releases/${newId()}`), 404, 'RESOURCE_NOT_FOUND');
  await expectAuditToHold(service);
});

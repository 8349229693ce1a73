import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { decode } from '#domain/stored-events.js';
import { wholeLog } from '#read-store/testing/rows-of-history.js';
import { AdminService } from '../../../test/admin/support.js';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { expectError, type Answer } from '../../../test/api/support/api-client.js';
import { aPicture, makePictures } from '../../../test/api/support/made-pictures.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { configurationOn } from '../../../test/support/roles.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { dueByOwnEnd, dueByRule, endingSoon } from '../keeping/due-things.js';
import { keptKinds } from '../keeping.events.js';
import { startErasing } from './support/erasing.js';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const keeping = { usual: {}, most: { uploads: 100 }, warningDays: 3 };
const { projector } = configurationOn(service.databaseUrl);
const settings = { keeping, projector: { ...projector, sweepIntervalMs: 1_000 } };

/** The projectors live ten days ahead: what is kept for 9 days is due, and 12 days end soon. */
const clock = () => new Date(Date.now() + 10 * 24 * 60 * 60_000);
for (const _ of [1, 2]) {
  const { stop } = await startErasing(service, pem, { clock, settings });
  untilEnd({ [Symbol.asyncDispose]: stop });
}
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
untilEnd({ [Symbol.asyncDispose]: () => sql.end() });
const api = await service.openApi(undefined, { keeping });
const admin = untilEnd(
  await AdminService.start(service.databaseUrl, { variables: { ATELIER_RETENTION_MAX_DAYS: 'uploads=100' } }),
);
const operator = await admin.token('carla', 'support');

const newTenant = () =>
  service.openTenant({ credits: 100, capabilities: ['jobs:create', 'jobs:read', 'data:erase'] });

async function upload({ key }: Tenant, fields: Record<string, string> = {}): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(await aPicture())], { type: 'image/png' }), 'p.png');
  const { status, body } = await api.call('POST', '/v1/uploads', { key, body: form });
  expect(status).toBe(201);
  return body.asset_id as string;
}

const liveEvents = async () =>
  (await wholeLog(service.store)).filter(({ stream }) => stream.startsWith('live.')).map(decode);

const change = ({ key }: Tenant, json: object): Promise<Answer> =>
  api.call('PATCH', '/v1/retention', { key, json });
const show = ({ key }: Tenant, path: string) => api.get(`/v1/${path}`, key);
const erase = ({ key }: Tenant, path: string) => api.call('DELETE', `/v1/${path}`, { key });
const gone = (tenant: Tenant, path: string) =>
  eventually(async () => expectError(await show(tenant, path), 410, 'PICTURE_ERASED'));

describe('the rule of a tenant', () => {
  it('is its own within the maximum, and is shown with it', async () => {
    const tenant = await newTenant();
    const none = { days: null, own: null, default: null, maximum: null };
    const uploads = { ...none, days: 100, maximum: 100 };
    const rest = { intermediates: none, finals: none, words: none };
    expect((await show(tenant, 'retention')).body).toEqual({ uploads, ...rest });
    const { status, body } = await change(tenant, { uploads: 30, words: 400 });
    expect(status).toBe(200);
    expect(body.uploads).toEqual({ ...uploads, days: 30, own: 30 });
    expect(body.words).toEqual({ ...none, days: 400, own: 400 });
    const refused = await change(tenant, { uploads: 101 });
    expectError(refused, 422, 'VALIDATION_ERROR');
    expect(refused.body.error.message).toContain('at most 100');
    expectError(await change(tenant, { uploads: 5, clear: ['uploads'] }), 422, 'VALIDATION_ERROR');
    expect((await change(tenant, { clear: ['uploads'] })).body.uploads).toEqual(uploads);
    const path = `/tenants/${tenant.id}/retention`;
    const byOperator = await admin.ask(`PATCH ${path}`, operator, { env: 'live', uploads: 7 });
    expect(byOperator.body.uploads.own).toBe(7);
    const shown = await admin.ask(`GET ${path}?env=live`, operator);
    expect(shown.body).toEqual((await show(tenant, 'retention')).body);
  });

  it('ends uploads that are there already, and retain_days ends one of them sooner', async () => {
    const tenant = await newTenant();
    const kept = await upload(tenant);
    const short = await upload(tenant, { retain_days: '9' });
    await gone(tenant, `uploads/${short}`);
    expect((await show(tenant, `uploads/${kept}`)).status).toBe(200);
    await change(tenant, { uploads: 9 });
    await gone(tenant, `uploads/${kept}`);
    await expectAuditToHold(service);
  });

  it('ends pictures on the way, words and finished pictures apart from each other', async () => {
    const tenant = await newTenant();
    const final = { kind: 'model_portrait', label: 'Annabel in red' } as const;
    const way = { kind: 'garment_cutout', role: 'intermediate' } as const;
    const { jobId, artifacts } = await makePictures(api, service, tenant, final, way);
    const product = await api.post('/v1/products', tenant.key, {
      upload_asset_public_id: artifacts[0]!.assetId,
      title: 'Coat of Annabel',
    });
    await eventually(async () => (await show(tenant, `renders/${jobId}`)).status === 200);

    await change(tenant, { intermediates: 9 });
    const erased = [{ asset_id: artifacts[1]!.assetId }];
    const job = async () => (await show(tenant, `jobs/${jobId}`)).body;
    await eventually(async () => expect((await job()).result).toMatchObject({ erased }));
    expect((await show(tenant, `renders/${jobId}`)).body.label).toBe('Annabel in red');

    await change(tenant, { words: 9 });
    await eventually(async () =>
      expect(await job()).toMatchObject({ display_name: '[erased]', request: {} }),
    );
    const gonePath = `products/${product.body.public_id}`;
    await eventually(async () => expectError(await show(tenant, gonePath), 410, 'PRODUCT_ERASED'));
    expect((await show(tenant, `renders/${jobId}`)).body).toMatchObject({ label: '[erased]' });
    const listed = await eventually(async () => {
      const { body } = await show(tenant, 'catalog/models');
      return JSON.stringify(body).includes('[erased]') && JSON.stringify(body);
    });
    expect(listed).toContain(artifacts[0]!.assetId);
    expect(listed).not.toContain('Annabel');
    await expectAuditToHold(service);

    expect((await change(tenant, { finals: 9 })).status).toBe(200);
    await gone(tenant, `renders/${jobId}`);
    await expectAuditToHold(service);
  });

  it('is shortened for one job, and does not end a job that has not ended', async () => {
    const tenant = await newTenant();
    const { body } = await api.post('/v1/model-generator', tenant.key, { retain_days: 9 });
    const { body: other } = await api.post('/v1/model-generator', tenant.key, {});
    const before = await upload(tenant, { retain_days: '9' });
    await gone(tenant, `uploads/${before}`);
    expect((await show(tenant, `jobs/${body.job_id}`)).body.status).toBe('NOT_STARTED');
    for (const { job_id: jobId } of [body, other])
      await api.call('POST', `/v1/jobs/${jobId}/cancel`, { key: tenant.key });
    await eventually(async () => {
      const { body: shown } = await show(tenant, `jobs/${body.job_id}`);
      expect(shown).toMatchObject({ display_name: '[erased]' });
    });
    expect((await show(tenant, `jobs/${other.job_id}`)).body.display_name).not.toBe('[erased]');
  });

  it('takes days from 1 to 3650', async () => {
    const tenant = await newTenant();
    for (const retainDays of [0, 3_651, 1.5]) {
      const refused = await api.post('/v1/model-generator', tenant.key, { retain_days: retainDays });
      expectError(refused, 422, 'VALIDATION_ERROR');
    }
    expectError(await change(tenant, { words: 0 }), 422, 'VALIDATION_ERROR');
  });
});

describe('a legal hold', () => {
  const place = async (tenant: Tenant, on: object): Promise<string> => {
    const body = { env: 'live', reason: 'case 7', ...on };
    const { status, body: hold } = await admin.ask(`POST /tenants/${tenant.id}/holds`, operator, body);
    expect(status).toBe(200);
    return hold.hold_id as string;
  };
  const lift = (tenant: Tenant, hold: string) =>
    admin.ask(`POST /tenants/${tenant.id}/holds/${hold}/lift`, operator, { env: 'live', reason: 'closed' });

  it('on a job keeps its pictures, and those that it was ordered with, until it is lifted', async () => {
    const tenant = await newTenant();
    const input = await upload(tenant);
    const order = { product_image_s3_key: input };
    const { job_id: jobId } = (await api.post('/v1/product-to-model-direct', tenant.key, order)).body;
    await api.call('POST', `/v1/jobs/${jobId}/cancel`, { key: tenant.key });
    const hold = await place(tenant, { job: jobId });
    for (const path of [`jobs/${jobId}`, `jobs/${jobId}?dry_run=true`, `uploads/${input}`]) {
      const refused = await erase(tenant, path);
      expectError(refused, 409, 'LEGAL_HOLD');
      expect(refused.body.error.message).toContain('Nothing was erased');
      expect(refused.body.error.message).not.toContain('case 7');
    }
    await change(tenant, { uploads: 9, words: 9 });
    const other = await upload(tenant);
    await gone(tenant, `uploads/${other}`);
    expect((await show(tenant, `uploads/${input}`)).status).toBe(200);
    expect((await show(tenant, `jobs/${jobId}`)).body.request).toMatchObject(order);
    const listed = await admin.ask(`GET /tenants/${tenant.id}/holds?env=live`, operator);
    expect(listed.body.holds).toMatchObject([{ hold_id: hold, job_id: jobId, reason: 'case 7' }]);

    expect((await lift(tenant, hold)).status).toBe(200);
    expect((await lift(tenant, hold)).status).toBe(404);
    await gone(tenant, `uploads/${input}`);
    await eventually(async () => expect((await show(tenant, `jobs/${jobId}`)).body.request).toEqual({}));
    await expectAuditToHold(service);
  });

  it('on a person covers what belongs to the person, and nothing else', async () => {
    const tenant = await newTenant();
    const [anna, ben] = [
      await upload(tenant, { data_subject: 'Anna' }),
      await upload(tenant, { data_subject: 'Ben' }),
    ];
    const hold = await place(tenant, { data_subject: 'Anna' });
    const key = { 'idempotency-key': 'forget-anna' };
    const forget = () => api.call('DELETE', '/v1/data-subjects/Anna', { key: tenant.key, headers: key });
    expectError(await erase(tenant, `uploads/${anna}`), 409, 'LEGAL_HOLD');
    expectError(await forget(), 409, 'LEGAL_HOLD');
    expect((await erase(tenant, `uploads/${ben}`)).status).toBe(202);
    await gone(tenant, `uploads/${ben}`);
    await lift(tenant, hold);
    expect((await forget()).status).toBe(202);
    await gone(tenant, `uploads/${anna}`);
  });

  it('names a job that the tenant has', async () => {
    const tenant = await newTenant();
    const unknown = { env: 'live', reason: 'x', job: tenant.keyId };
    const { status } = await admin.ask(`POST /tenants/${tenant.id}/holds`, operator, unknown);
    expect(status).toBe(404);
  });
});

describe('a picture that ends soon', () => {
  it('is told of once, days before', async () => {
    const tenant = await newTenant();
    const endpoint = { url: 'https://shop.example/hook', events: ['picture.expiring'] };
    const { body: webhook } = await api.post('/v1/webhooks', tenant.key, endpoint);
    const bodies = async (): Promise<string[]> => {
      const { body } = await show(tenant, `webhooks/${webhook.public_id}/deliveries`);
      return (body.items as object[]).map((item) => JSON.stringify(item));
    };
    const first = await upload(tenant, { retain_days: '12' });
    const later = await upload(tenant);
    await eventually(async () => (await bodies()).length === 1);
    await change(tenant, { uploads: 12 });
    await eventually(async () => (await bodies()).length === 2);
    await upload(tenant);
    await eventually(async () => (await bodies()).length === 3);
    const notices = (await liveEvents()).flatMap((event) =>
      event.type === 'NoticeGiven' && event.data.tenant === tenant.id ? [event.data.content] : [],
    );
    expect(notices.map(({ asset_id: id }) => id)).toEqual([first, later, expect.any(String)]);
    expect(notices[0]).toMatchObject({ kind: 'upload', job_id: null, expires_at: expect.any(String) });
    for (const id of [first, later]) expect((await show(tenant, `uploads/${id}`)).status).toBe(200);
  });
});

describe('expiry', () => {
  it('orders each thing once, though two projectors look for what is due, and gives receipts', async () => {
    const requested = (await liveEvents()).flatMap((event) =>
      event.type === 'ErasureRequested' && event.data.by === 'retention' ? [event.data] : [],
    );
    const targets = requested.flatMap((request) => request.targets.map(({ kind, id }) => `${kind} ${id}`));
    expect(targets.length).toBeGreaterThan(5);
    expect(new Set(targets).size).toBe(targets.length);
    const [{ erasureId, tenant }] = requested as [(typeof requested)[number]];
    const { key } = await service.issueKey({ id: tenant, environment: 'live' }, ['jobs:read']);
    const { body: receipt } = await api.get(`/v1/erasures/${erasureId}/receipt`, key);
    expect(receipt).toMatchObject({ by: 'retention', key: expect.any(String) });
  });

  const days = keptKinds.map(() => 30);
  const rules = [[...keptKinds], days, days];
  it.each([
    ['the rule', dueByRule, rules],
    ['retain_days', dueByOwnEnd, []],
    ['the warning', endingSoon, [...rules, 3]],
  ])('finds what is due by %s with an index', async (_, statement, values) => {
    await sql.query('analyze');
    await sql.query('set enable_seqscan = off');
    const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain ${statement('live')}`, [
      clock(),
      ...values,
    ]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (?:Only )?Scan using kept_things_by_(?:age|own_end)/);
    expect(plan).not.toMatch(/Seq Scan on kept_things/);
  });
});

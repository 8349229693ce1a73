import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#platform/ids.js';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { expectError, type ApiClient, type Json } from '../../../test/api/support/api-client.js';
import {
  aPictureWithStore,
  makePictures,
  succeedWith,
  uploadPicture,
} from '../../../test/api/support/made-pictures.js';
import { startJob } from '../../../test/api/support/finish-job.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { verbsOn } from '../../../test/cli/support/verbs.js';
import { eventually } from '../../../test/support/eventually.js';
import { openEventStore, prepareEventStore } from '#event-store/open-event-store.js';
import { configurationOn } from '../../../test/support/roles.js';
import { testKeys, testSigningKey } from '../../../test/support/signing-key.js';
import { createTestDatabase } from '../../../test/support/test-database.js';
import { redoneErasures } from '../redone-erasures.js';
import { RecordMacs } from '../record-macs.js';
import { startErasing, type Erasing } from './support/erasing.js';

const person = 'Annabel Quistgaard';
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
let erasing: Erasing;

beforeAll(async () => {
  service = await ApiService.start({ projector: false });
  api = await service.openApi();
  erasing = await startErasing(service, pem);
  tenant = await newTenant();
});
afterAll(async () => {
  await erasing?.stop();
  await service?.[Symbol.asyncDispose]();
});

const newTenant = () =>
  service.openTenant({ credits: 100, capabilities: ['jobs:create', 'jobs:read', 'data:erase'] });

const erase = (path: string, headers: Record<string, string> = {}) =>
  api.call('DELETE', path, { key: tenant.key, headers });

async function completed(path: string): Promise<Json> {
  const { status, body } = await erase(path);
  expect(status).toBe(202);
  return eventually(async () => {
    const { body: erasure } = await api.get(`/v1/erasures/${body.erasure_id}`, tenant.key);
    return erasure.status === 'completed' && erasure;
  });
}

const dispatch = (assetId: string, more: object = {}) =>
  api.post('/v1/product-to-model-direct', tenant.key, { product_image_s3_key: assetId, ...more });
const balance = async () => (await api.get('/v1/credits', tenant.key)).body.balance as number;
const filesOf = (text: string) =>
  readdirSync(join(service.folder, 'objects'), { recursive: true }).filter((name) =>
    String(name).includes(text),
  );

describe('an erased upload', () => {
  it('is refused everywhere, its bytes are gone, and the audit holds', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const { body: shown } = await api.get(`/v1/uploads/${assetId}`, tenant.key);
    const urls = [shown.image_url, shown.thumbnails['256']] as string[];
    for (const url of urls) expect((await api.get(url)).status).toBe(200);
    const product = await api.post('/v1/products', tenant.key, {
      upload_asset_public_id: assetId,
      title: 'Coat',
    });
    const before = await balance();

    const erasure = await completed(`/v1/uploads/${assetId}`);
    expect(erasure.steps.map(({ step }: { step: string }) => step)).toEqual([
      'refused',
      'bytes',
      'rows',
      'keys',
    ]);
    const { steps } = erasure as { steps: { step: string; counts: object }[] };
    expect(steps.find(({ step }) => step === 'rows')?.counts).toEqual({
      'idempotent answers': 0,
      'messages of webhooks': 0,
    });
    expectError(await api.get(`/v1/uploads/${assetId}`, tenant.key), 410, 'PICTURE_ERASED');
    for (const url of urls) expectError(await api.get(url), 410, 'PICTURE_ERASED');
    const refused = await dispatch(assetId);
    expectError(refused, 410, 'PICTURE_ERASED');
    expect(refused.body.error.message).toContain('product_image_s3_key');
    expect(await balance()).toBe(before);
    const again = await api.post('/v1/products', tenant.key, {
      upload_asset_public_id: assetId,
      title: 'Cape',
    });
    expectError(again, 410, 'PICTURE_ERASED');
    const { body: known } = await api.get(`/v1/products/${product.body.public_id}`, tenant.key);
    expect(known).toMatchObject({ title: 'Coat', images: [], erased_images: [{ asset_public_id: assetId }] });
    expect(filesOf(assetId)).toEqual([]);
    await expectAuditToHold(service);
  });

  it('is an erased input in the passport of what was made from it', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const { status, body } = await dispatch(assetId);
    expect(status).toBe(202);
    const jobId = body.job_id as string;
    await succeedWith(service, tenant, jobId, [{ kind: 'on_model_render' }]);
    const passport = async () => (await api.get(`/v1/renders/${jobId}/passport`, tenant.key)).body;
    expect((await passport()).inputs).toMatchObject([{ available: true, erased_at: null }]);
    await completed(`/v1/uploads/${assetId}`);
    const { inputs, pictures } = await passport();
    expect(inputs).toMatchObject([{ asset_id: assetId, available: false, erased_at: expect.any(String) }]);
    expect(pictures).toMatchObject([{ available: true, erased_at: null }]);
  });

  it('takes along the credentials that it arrived with', async () => {
    const { body } = await api.upload(tenant.key, await aPictureWithStore(100));
    expect(filesOf(body.asset_id as string)).toHaveLength(2);
    await completed(`/v1/uploads/${body.asset_id}`);
    expect(filesOf(body.asset_id as string)).toEqual([]);
    await expectAuditToHold(service);
  });

  it('takes along what was made from it only if that is asked, and refunds what is not finished', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const done = (await dispatch(assetId, { display_name: person })).body.job_id as string;
    const [picture] = await succeedWith(service, tenant, done, [{ kind: 'on_model_render', label: person }]);
    const running = (await dispatch(assetId)).body.job_id as string;
    await startJob(service, tenant, running);
    const before = await balance();
    await eventually(async () => (await api.get(`/v1/renders/${done}`, tenant.key)).status === 200);

    const { body: size } = await erase(`/v1/uploads/${assetId}?derived=true&dry_run=true`);
    expect(size).toMatchObject({ dry_run: true, jobs: 2, unfinished_jobs: 1, products: 0 });
    expect((await api.get(`/v1/uploads/${assetId}`, tenant.key)).status).toBe(200);

    await completed(`/v1/uploads/${assetId}?derived=true`);
    await eventually(async () => (await balance()) > before);
    expectError(await api.get(`/v1/renders/${done}`, tenant.key), 410, 'PICTURE_ERASED');
    const { body: job } = await api.get(`/v1/jobs/${done}`, tenant.key);
    expect(job).toMatchObject({
      status: 'SUCCESS',
      display_name: '[erased]',
      request: {},
      thumbnail_url: null,
      result: { artifacts: [], erased: [{ asset_id: picture!.assetId }] },
    });
    expect(job.erased_at).toBeDefined();
    const timeline = await api.get(`/v1/jobs/${done}/events`, tenant.key);
    expect(JSON.stringify([job, timeline.body])).not.toContain(person);
    expect(filesOf(picture!.assetId)).toEqual([]);
    const { body: cancelled } = await api.get(`/v1/jobs/${running}`, tenant.key);
    expect(cancelled).toMatchObject({ status: 'FAILURE', error: { code: 'CANCELLED' } });
    await expectAuditToHold(service);
  });
});

describe('an erased render', () => {
  it('leaves its job and the words of it', async () => {
    const { jobId, artifacts } = await makePictures(api, service, tenant, { kind: 'model_portrait' });
    await eventually(async () => (await api.get(`/v1/renders/${jobId}`, tenant.key)).status === 200);
    await completed(`/v1/renders/${jobId}`);
    expectError(await api.get(`/v1/renders/${jobId}`, tenant.key), 410, 'PICTURE_ERASED');
    const { body } = await api.get(`/v1/jobs/${jobId}`, tenant.key);
    expect(body.result).toMatchObject({ artifacts: [], erased: [{ asset_id: artifacts[0]!.assetId }] });
    expect(body.display_name).not.toBe('[erased]');
    const { body: models } = await api.get('/v1/catalog/models', tenant.key);
    expect(JSON.stringify(models)).not.toContain(artifacts[0]!.assetId);
    await expectAuditToHold(service);
  });
});

describe('an erased product', () => {
  it('loses its words, is refused, and can be registered anew', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const facts = { upload_asset_public_id: assetId, title: `${person} in red`, external_ref: 'sku-9' };
    const { body: product } = await api.post('/v1/products', tenant.key, facts);
    await completed(`/v1/products/${product.public_id}`);
    expectError(await api.get(`/v1/products/${product.public_id}`, tenant.key), 410, 'PRODUCT_ERASED');
    const revised = await api.call('PATCH', `/v1/products/${product.public_id}`, {
      key: tenant.key,
      json: { title: 'Cape' },
    });
    expectError(revised, 410, 'PRODUCT_ERASED');
    expectError(
      await api.post('/v1/product-to-model-direct', tenant.key, { product_id: product.public_id }),
      410,
      'PRODUCT_ERASED',
    );
    const { body: listed } = await api.get('/v1/products', tenant.key);
    expect(JSON.stringify(listed)).not.toContain(product.public_id);
    const { status, body: anew } = await api.post('/v1/products', tenant.key, {
      ...facts,
      title: 'Red coat',
    });
    expect([status, anew.title]).toEqual([200, 'Red coat']);
    await expectAuditToHold(service);
  });
});

describe('a request to erase', () => {
  it('needs the capability, and a thing of the caller', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const { key } = await service.issueKey(tenant, ['jobs:create', 'jobs:read']);
    expectError(await api.call('DELETE', `/v1/uploads/${assetId}`, { key }), 403, 'CAPABILITY_REQUIRED');
    const other = await newTenant();
    const foreign = await api.call('DELETE', `/v1/uploads/${assetId}`, { key: other.key });
    expectError(foreign, 404, 'RESOURCE_NOT_FOUND');
    expectError(await erase(`/v1/uploads/${newId()}`), 404, 'RESOURCE_NOT_FOUND');
  });

  it('begins one erasure for one Idempotency-Key', async () => {
    const [one, two] = [await uploadPicture(api, tenant), await uploadPicture(api, tenant)];
    const headers = { 'idempotency-key': newId() };
    const first = await erase(`/v1/uploads/${one.assetId}`, headers);
    const second = await erase(`/v1/uploads/${one.assetId}`, headers);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expectError(await erase(`/v1/uploads/${two.assetId}`, headers), 422, 'IDEMPOTENCY_KEY_REUSED');
  });
});

describe('a receipt', () => {
  it('is signed, names what remains, and is checked without the service', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    const { erasure_id: id } = await completed(`/v1/uploads/${assetId}`);
    const { body: receipt } = await api.get(`/v1/erasures/${id}/receipt`, tenant.key);
    expect(receipt).toMatchObject({
      erasure_id: id,
      by: `key:${tenant.keyId}`,
      erased: { pictures: [assetId] },
    });
    expect(receipt.remains.map(({ where }: { where: string }) => where)).toContain('backups');
    const verbs = verbsOn({ databaseUrl: service.databaseUrl, folder: service.folder });
    const file = join(service.folder, 'receipt.json');
    const verify = ['erasures', 'verify', file, '--key', receipt.key as string];
    writeFileSync(file, JSON.stringify(receipt));
    expect(await verbs.json(verify)).toMatchObject({ proven: true, erasure_id: id });
    writeFileSync(file, JSON.stringify({ ...receipt, erased: { pictures: [], jobs: [], products: [] } }));
    expect(await verbs.complaint(verify)).toContain('proves nothing');
  });
});

describe('a log that was restored from before an erasure', () => {
  it('lacks the erasures that the restore drill counts', async () => {
    const { assetId } = await uploadPicture(api, tenant);
    await completed(`/v1/uploads/${assetId}`);
    const begun = readdirSync(join(service.folder, 'objects', 'erasures', 'live')).filter((name) =>
      name.endsWith('.begun.json'),
    );
    const { url: databaseUrl, drop } = await createTestDatabase();
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(drop);
    const urls = { eventStoreUrl: databaseUrl, databaseUrl };
    await prepareEventStore(urls);
    await using older = await openEventStore(urls, testKeys);
    const configuration = configurationOn(databaseUrl, { storage: erasing.storage });
    expect(await redoneErasures.count(older.store, configuration)).toBe(begun.length);
    expect(await redoneErasures.count(service.store, configuration)).toBe(0);
  });

  it('is erased again before the first answer', async () => {
    const { assetId, uploadKey } = await uploadPicture(api, tenant);
    const { erasure_id: done } = await completed(`/v1/uploads/${(await uploadPicture(api, tenant)).assetId}`);
    const folder = join(service.folder, 'objects', 'erasures', 'live');
    const { mac: _, ...kept } = JSON.parse(readFileSync(join(folder, `${done}.completed.json`), 'utf8'));
    // The records of two erasures that this log does not know. Somebody else has written one of them.
    const macs = new RecordMacs({ signingKey: testSigningKey, acceptedSigningKeys: [] });
    const stranger = new RecordMacs({ signingKey: 'stranger'.repeat(5), acceptedSigningKeys: [] });
    const other = await uploadPicture(api, tenant);
    const [erasureId, forgedId] = [newId(), newId()];
    for (const [id, picture, signer] of [
      [erasureId, assetId, macs],
      [forgedId, other.assetId, stranger],
    ] as const) {
      const request = { ...kept.request, erasureId: id, targets: [{ kind: 'upload', id: picture }] };
      const record = { ...kept, request, pictures: [picture] };
      const mac = signer.of(JSON.stringify(record));
      writeFileSync(join(folder, `${id}.completed.json`), JSON.stringify({ ...record, mac }));
    }
    const restored = await service.openApi();
    expectError(await restored.get(`/v1/uploads/${assetId}`, tenant.key), 410, 'PICTURE_ERASED');
    await eventually(async () => {
      const { body } = await restored.get(`/v1/erasures/${erasureId}`, tenant.key);
      return body.status === 'completed';
    });
    expect(existsSync(join(service.folder, 'objects', uploadKey))).toBe(false);
    const { body: receipt } = await restored.get(`/v1/erasures/${erasureId}/receipt`, tenant.key);
    expect(receipt.again).toBe(true);
    expect((await restored.get(`/v1/uploads/${other.assetId}`, tenant.key)).status).toBe(200);
    rmSync(join(folder, `${forgedId}.completed.json`));
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { ReadModels } from '#application/read-models.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { AdminService } from '../../../test/admin/support.js';
import { ApiService } from '../../../test/api/support/api-service.js';
import { expectError } from '../../../test/api/support/api-client.js';
import { storageOf, succeedWith, uploadPicture } from '../../../test/api/support/made-pictures.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { commandBusOn } from '../../../test/support/command-bus.js';
import { eventually } from '../../../test/support/eventually.js';
import { testKeys } from '../../../test/support/signing-key.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { LatePictures } from '../late-pictures.js';
import { startErasing } from './support/erasing.js';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const api = await service.openApi();
const tenant = await service.openTenant({
  credits: 100,
  capabilities: ['jobs:create', 'jobs:read', 'data:erase'],
});
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
untilEnd({ [Symbol.asyncDispose]: () => sql.end() });

const erase = (path: string) => api.call('DELETE', path, { key: tenant.key });
const statusOf = async (erasureId: string) =>
  (await api.get(`/v1/erasures/${erasureId}`, tenant.key)).body.status as string;

/** A projector that looks for what is left all the time, and lives an hour ahead. */
async function projecting<T>(work: () => Promise<T>): Promise<T> {
  const clock = () => new Date(Date.now() + 60 * 60_000);
  const { stop } = await startErasing(service, pem, { clock, timing: { sweepIntervalMs: 200 } });
  try {
    return await work();
  } finally {
    await stop();
  }
}

it('an erasure that the process manager has behind it is carried out, if the log has lost its end', async () => {
  const { assetId, uploadKey } = await uploadPicture(api, tenant);
  await projecting(async () => {
    const { body } = await erase(`/v1/uploads/${(await uploadPicture(api, tenant)).assetId}`);
    await eventually(async () => (await statusOf(body.erasure_id)) === 'completed');
  });
  const { body } = await erase(`/v1/uploads/${assetId}`);
  const { id, position } = (await service.store.lastEvent())!;
  await sql.query(`update live.process_checkpoints set position = $1, event_position = $1, event_id = $2`, [
    position,
    id,
  ]);
  await projecting(async () => {
    await eventually(async () => (await statusOf(body.erasure_id)) === 'completed');
    expect(existsSync(join(service.folder, 'objects', uploadKey))).toBe(false);
    await expectAuditToHold(service);
  });
});

it('an order waits for the newest jobs, which a hold may cover', async () => {
  const admin = untilEnd(await AdminService.start(service.databaseUrl));
  const operator = await admin.token('carla', 'support');
  const { assetId } = await uploadPicture(api, tenant);
  const order = { product_image_s3_key: assetId, data_subject: 'Anna' };
  expect((await api.post('/v1/product-to-model-direct', tenant.key, order)).status).toBe(202);
  const hold = { env: 'live', reason: 'case 7', data_subject: 'Anna' };
  expect((await admin.ask(`POST /tenants/${tenant.id}/holds`, operator, hold)).status).toBe(200);
  const refused = await erase(`/v1/uploads/${assetId}?derived=true`);
  expectError(refused, 503, 'SERVICE_UNAVAILABLE');
  expect(refused.body.error.message).toContain('Nothing was erased');
  await projecting(() =>
    eventually(async () =>
      expectError(await erase(`/v1/uploads/${assetId}?derived=true`), 409, 'LEGAL_HOLD'),
    ),
  );
});

it('bytes that a worker left when it died between a picture and its event are gone with the job', async () => {
  const { job_id: job } = (await api.post('/v1/model-generator', tenant.key, {})).body;
  const storage = storageOf(service);
  const folder = `live/${tenant.id}/renders/${job}/`;
  await projecting(async () => {
    const { body } = await erase(`/v1/jobs/${job}`);
    await eventually(async () => (await statusOf(body.erasure_id)) === 'completed');
    await storage.put(`${folder}late.png`, Buffer.from('a picture'));
    await eventually(async () => (await storage.list(folder)).length === 0);
  });
});

it('a picture that came late is erased in the next round, if the storage fails in this one', async () => {
  const { job_id: job } = (await api.post('/v1/model-generator', tenant.key, {})).body;
  const [late] = await succeedWith(service, tenant, job, [{ kind: 'person' }]);
  const { assetId, storageKey } = late!;
  await using opened = await openEventStore(
    { eventStoreUrl: service.databaseUrl, databaseUrl: service.databaseUrl },
    testKeys,
  );
  const left = [{ assetId, storageKey, tenant: tenant.id }];
  const assets = { leftOfErasedJobs: () => Promise.resolve(left) };
  const reads = { of: () => ({ assets, jobs: { cancelledAndErased: () => Promise.resolve([]) } }) };
  const storage = storageOf(service);
  let isAway = true;
  const failing = Object.assign(Object.create(storage) as typeof storage, {
    erase: (key: string) => (isAway ? Promise.reject(new Error('away')) : storage.erase(key)),
  });
  const pictures = new LatePictures(
    commandBusOn({ store: opened.store }),
    reads as unknown as ReadModels,
    failing,
    opened.erasure,
    () => new Date(),
  );
  const isErased = async () => {
    const found = await opened.store.readStream(`live.asset-${assetId}`);
    return found.kind === 'found' && found.events.some(({ type }) => type === 'PictureErased');
  };
  await expect(pictures.tend('live')).rejects.toThrow('away');
  expect(await isErased()).toBe(false);
  isAway = false;
  await pictures.tend('live');
  expect(await isErased()).toBe(true);
  expect(existsSync(join(service.folder, 'objects', storageKey))).toBe(false);
});

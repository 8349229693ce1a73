import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startErasing, type Erasing } from '#capabilities/erasure/test/support/erasing.js';
import { newSealKey } from '#capabilities/seals/seal.key.js';
import { sealDigest, type Seal } from '#capabilities/seals/seal.js';
import { erasedText } from '#domain/erased.js';
import { streamName } from '#domain/streams.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import type { ApiClient, Json } from '../api/support/api-client.js';
import { aPicture, succeedWith } from '../api/support/made-pictures.js';
import { eventually } from '../support/eventually.js';
import { testKeys, testMasterKey } from '../support/signing-key.js';
import { tablesWith } from '../support/tables-with.js';
import { createTestDatabase } from '../support/test-database.js';
import { untilEnd } from '../support/until-end.js';
import { verbsOn } from './support/verbs.js';

// The steps of docs/privacy.md for a log that was written before the service had a master key.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const word = 'Quistgaard';
const person = `Annabel ${word}`;
const erasedTitle = `The cape of Zoë ${word}`;
const pem = newSealKey();
const sealKey = pem.trim().replaceAll('\n', '\\n');

const service = untilEnd(await ApiService.start({ projector: false, masterKey: undefined }));
const target = await createTestDatabase();
untilEnd({ [Symbol.asyncDispose]: () => target.drop() });
const poolOf = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  untilEnd({ [Symbol.asyncDispose]: () => pool.end() });
  return pool;
};
const [oldDatabase, newLog] = [poolOf(service.databaseUrl), poolOf(target.url)];
const verbs = verbsOn(service, {
  ATELIER_SEAL_KEY: sealKey,
  ATELIER_HOME: service.folder,
  PUBLIC_URL: 'http://127.0.0.1:9',
});
const onTarget = { EVENT_STORE_URL: target.url };
const file = (name: string) => join(service.folder, name);
const copy = (...more: string[]) => ['events', 'copy', '--to', target.url, '--seal', ...more];

let api: ApiClient;
let tenant: Tenant;
let assetId: string;
let productId: string;
let jobId: string;
let erasedProductId: string;
let oldHead: Seal;
let projector: Erasing | undefined;
afterAll(() => projector?.stop());

async function untilSealed(settings: Record<string, string> = {}): Promise<Json> {
  return eventually(async () => {
    const listed = await verbs.json(['seal', 'list'], settings);
    return listed.waiting_since === null && listed;
  });
}

/** Has it erased. Returns what the receipt says that remains. */
async function erased(path: string): Promise<unknown> {
  const { status, body: begun } = await api.call('DELETE', path, { key: tenant.key });
  expect({ path, status }).toEqual({ path, status: 202 });
  return eventually(async () => {
    const { status: found, body } = await api.get(`/v1/erasures/${begun.erasure_id}/receipt`, tenant.key);
    return found === 200 && body.remains;
  });
}

/** The data of the first event of a stream, as a process reads it that has just started. */
async function firstOf(category: 'job' | 'product', id: string): Promise<unknown> {
  const urls = { eventStoreUrl: target.url, databaseUrl: service.databaseUrl };
  await using fresh = await openEventStore(urls, testKeys);
  const slice = await fresh.store.readStream(streamName(tenant.environment, category, id), { limit: 1 });
  return slice.kind === 'found' ? slice.events[0]?.data : undefined;
}

beforeAll(async () => {
  const before = await startErasing(service, pem);
  api = await service.openApi();
  tenant = await service.openTenant({ capabilities: ['jobs:create', 'jobs:read', 'data:erase'] });
  const form = new FormData();
  form.append('data_subject', person);
  form.append('file', new Blob([new Uint8Array(await aPicture())], { type: 'image/png' }), 'p.png');
  assetId = (await api.call('POST', '/v1/uploads', { key: tenant.key, body: form })).body.asset_id as string;
  const coat = { upload_asset_public_id: assetId, title: `The coat of ${person}` };
  productId = (await api.post('/v1/products', tenant.key, coat)).body.public_id as string;
  const order = { product_image_s3_key: assetId, display_name: `For ${person}`, metadata: { who: person } };
  jobId = (await api.post('/v1/product-to-model-direct', tenant.key, order)).body.job_id as string;
  await succeedWith(service, tenant, jobId, [{ kind: 'on_model_render', label: person }]);
  await eventually(async () => (await api.get(`/v1/renders/${jobId}`, tenant.key)).status === 200);
  const cape = { upload_asset_public_id: assetId, title: erasedTitle };
  erasedProductId = (await api.post('/v1/products', tenant.key, cape)).body.public_id as string;
  const left = await erased(`/v1/products/${erasedProductId}`);
  expect(JSON.stringify(left)).toContain('1 events from before the service encrypted words');
  // The writers stop; the sealer seals what is left, and stops.
  await untilSealed();
  await before.stop();
  oldHead = await verbs.json(['seal', 'export']);
  writeFileSync(file('old-head.jsonl'), `${JSON.stringify(oldHead)}\n`);
});

describe('atelier events copy --seal', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['without a master key', copy(), { ATELIER_MASTER_KEY: '' }, /^atelier: --seal needs ATELIER_MASTER_KEY/],
    [
      'without a signing key',
      copy(),
      { ATELIER_SIGNING_KEY: '' },
      /^atelier: --seal needs ATELIER_SIGNING_KEY/,
    ],
    ['from a file', copy('--from', import.meta.filename), {}, /^atelier: --from: --seal copies from a store/],
    [
      'into the same log under another name',
      ['events', 'copy', '--seal', '--to', service.databaseUrl.replace('127.0.0.1', 'localhost')],
      {},
      /^atelier: --from and --to hold the same log/,
    ],
  ])('refuses %s, and writes nothing', async (_, args, settings, says) => {
    const { code, stdout, stderr } = await verbs.run(args, settings);
    expect(stderr).toMatch(says);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect((await tablesWith(newLog, 'JobQueued')).length).toBe(0);
  });

  it('leaves no personal word in the new store, and may be repeated', async () => {
    expect(await tablesWith(oldDatabase, word)).toContain('event_store.events');
    const copied = await verbs.json(copy());
    expect(copied).toMatchObject({ verified: true, checkpoints: 'unchanged', source_grew: false });
    expect(copied.sealed).toBeGreaterThan(4);
    expect(copied.target).toEqual(copied.source);
    const again = await verbs.json(copy('--checkpoints', 'translate'));
    expect(again).toMatchObject({ verified: true, copied: 0, sealed: 0, checkpoints: 'translated' });
    expect(await tablesWith(newLog, word)).toEqual([]);
    expect(await tablesWith(newLog, 'JobQueued')).toEqual(['event_store.events']);
  });

  it('erases what an erasure had to leave as plain text', async () => {
    expect(await firstOf('product', erasedProductId)).toMatchObject({ title: erasedText });
    expect(await firstOf('product', productId)).toMatchObject({ title: `The coat of ${person}` });
  });

  it('gives a log on which the service goes on, with a chain of seals that names the old head', async () => {
    // The old store is destroyed: here it is in the database of the read models.
    await oldDatabase.query('drop schema event_store cascade');
    projector = await startErasing(service, pem, { eventStoreUrl: target.url });
    const configuration = { eventStoreUrl: target.url, masterKey: testMasterKey };
    api = await service.openApi(service.databaseUrl, configuration);
    await eventually(async () => (await api.get(`/v1/renders/${jobId}`, tenant.key)).status === 200);
    expect((await api.get(`/v1/products/${productId}`, tenant.key)).body.title).toBe(`The coat of ${person}`);
    expect((await api.get(`/v1/jobs/${jobId}`, tenant.key)).body.display_name).toBe(`For ${person}`);

    const { seals } = await untilSealed(onTarget);
    const first = (seals as Json[]).find(({ number }) => number === 1);
    expect(first).toMatchObject({ number: 1, source: sealDigest(oldHead) });
    const against = ['ledger', 'audit', '--against', file('old-head.jsonl')];
    const audited = await verbs.json(against, onTarget);
    expect(audited).toMatchObject({ holds: true, findings: [] });
    expect(audited.seals.copied_from).toEqual([
      {
        chain: oldHead.chain,
        seal: oldHead.number,
        sealed_at: oldHead.sealedAt,
        digest: sealDigest(oldHead),
      },
    ]);
    expect((await verbs.run(against, onTarget)).stdout).toContain(
      `copied from one that ended with seal ${oldHead.number} of chain ${oldHead.chain}`,
    );
    expect(audited.seals.chain).not.toBe(oldHead.chain);
  });

  it('lets the new chain prove a line of the ledger from before', async () => {
    const ledger = await verbs.run(['ledger', 'export', '--tenant', tenant.id, '--json'], onTarget);
    const lines: Json[] = ledger.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const id = lines.find(({ kind }) => kind === 'pack')?.id as string;
    const { stdout } = await verbs.run(['ledger', 'prove', '--transaction', id, '--json'], onTarget);
    writeFileSync(file('proof.json'), stdout);
    const { public_key: key } = await verbs.json(['seal', 'key']);
    const verify = ['ledger', 'verify-proof', file('proof.json'), '--key', String(key)];
    expect((await verbs.run(verify)).stdout).toMatch(/^Proven: /);
    expect(readFileSync(file('proof.json'), 'utf8')).not.toContain(word);
  });

  it('lets a person be erased from old events as well', async () => {
    const remains = await erased(`/v1/data-subjects/${encodeURIComponent(person)}`);
    expect(JSON.stringify(remains)).not.toContain('the event log');
    expect(await firstOf('job', jobId)).toMatchObject({ displayName: erasedText, request: {} });
    expect(await tablesWith(oldDatabase, word)).toEqual([]);
    expect(await tablesWith(newLog, word)).toEqual([]);
    expect(await verbs.json(['ledger', 'audit'], onTarget)).toMatchObject({ holds: true });
  });
  it('can be copied back by an ordinary copy, which changes no byte', async () => {
    const { code, stdout } = await verbs.run(
      ['events', 'copy', '--from', target.url, '--to', service.databaseUrl, '--json'],
      onTarget,
    );
    expect({ code, copied: JSON.parse(stdout) }).toMatchObject({ code: 0, copied: { verified: true } });
    expect(await tablesWith(oldDatabase, word)).toEqual([]);
  });
});

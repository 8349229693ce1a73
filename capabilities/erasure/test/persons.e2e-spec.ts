import { generateKeyPairSync } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import pg from 'pg';
import { expect, it } from 'vitest';
import { ApiService } from '../../../test/api/support/api-service.js';
import { expectError, type Json } from '../../../test/api/support/api-client.js';
import { aPictureWithStore, makePictures, succeedWith } from '../../../test/api/support/made-pictures.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { startErasing } from './support/erasing.js';
import { tablesWith } from '../../../test/support/tables-with.js';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const service = untilEnd(await ApiService.start({ projector: false }));
const erasing = await startErasing(service, pem);
untilEnd({ [Symbol.asyncDispose]: () => erasing.stop() });
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
untilEnd({ [Symbol.asyncDispose]: () => sql.end() });
const api = await service.openApi();
const tenant = await service.openTenant({
  credits: 100,
  capabilities: ['jobs:create', 'jobs:read', 'data:erase'],
});
const { key } = tenant;

/** With characters that a path has to escape. */
const person = 'Zoë Quistgaard / 4711%';
const path = `/v1/data-subjects/${encodeURIComponent(person)}`;

async function uploadOf(name?: string): Promise<string> {
  const form = new FormData();
  if (name !== undefined) form.append('data_subject', name);
  form.append(
    'file',
    new Blob([new Uint8Array(await aPictureWithStore(100))], { type: 'image/png' }),
    'p.png',
  );
  return (await api.call('POST', '/v1/uploads', { key, body: form })).body.asset_id as string;
}

const erase = (query = '', headers: Record<string, string> = {}) =>
  api.call('DELETE', `${path}${query}`, { key, headers });
const completed = (id: string): Promise<Json> =>
  eventually(async () => {
    const { body } = await api.get(`/v1/erasures/${id}`, key);
    return body.status === 'completed' && body;
  });

/** The files of a ZIP, by its central directory (APPNOTE 4.3.12). */
function filesIn(zip: Uint8Array): Record<string, Buffer> {
  const bytes = Buffer.from(zip);
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const files: Record<string, Buffer> = {};
  for (let at = bytes.readUInt32LE(end + 16); at < end;) {
    const [method, length] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const [nameLength, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    const head = bytes.readUInt32LE(at + 42);
    const begin = head + 30 + bytes.readUInt16LE(head + 26) + bytes.readUInt16LE(head + 28);
    const data = bytes.subarray(begin, begin + length);
    files[bytes.toString('utf8', at + 46, at + 46 + nameLength)] = method === 8 ? inflateRawSync(data) : data;
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

it('erases everything that belongs to a person, and nothing of others', async () => {
  const word = 'Quistgaard';
  const mine = await uploadOf(person);
  const others = await uploadOf('Ben');
  const dispatched = await api.call('POST', '/v1/product-to-model-direct', {
    key,
    json: { product_image_s3_key: mine, display_name: `For ${person}`, metadata: { who: person } },
    headers: { 'idempotency-key': 'order-1' },
  });
  const jobId = dispatched.body.job_id as string;
  await succeedWith(service, tenant, jobId, [{ kind: 'on_model_render', label: person }]);
  const named = (await api.post('/v1/model-generator', key, { data_subject: person })).body.job_id as string;
  const { jobId: kept } = await makePictures(api, service, tenant, { kind: 'model_portrait' });
  await api.post('/v1/products', key, { upload_asset_public_id: mine, title: `The coat of ${person}` });
  const release = { data_subject: person, document: `${person}.pdf`, fee_credits: 2 };
  const releaseId = (await api.post('/v1/releases', key, release)).body.public_id as string;
  await eventually(async () => (await api.get(`/v1/renders/${jobId}`, key)).status === 200);
  const { balance } = (await api.get('/v1/credits', key)).body;
  expect(await tablesWith(sql, word)).not.toEqual([]);

  const zipAt = async (from: string) =>
    filesIn(
      await (await fetch(`${api.url}${from}`, { headers: { authorization: `Bearer ${key}` } })).bytes(),
    );
  const archive = await zipAt(path);
  expect(Object.keys(archive)).toEqual(
    expect.arrayContaining([
      'person.json',
      `uploads/${mine}/events.json`,
      expect.stringMatching(new RegExp(`^uploads/${mine}/.+\\.png$`)),
      // The credentials that it arrived with.
      expect.stringMatching(new RegExp(`^uploads/${mine}/.+\\.c2pa$`)),
      `jobs/${jobId}/events.json`,
      `jobs/${named}/events.json`,
      `releases/${releaseId}/events.json`,
    ]),
  );
  expect(archive[`jobs/${jobId}/events.json`]!.toString()).toContain(`For ${person}`);
  expect(JSON.stringify(Object.keys(archive))).not.toContain(others);

  const picturesOfJob = async () => {
    const { 'pictures.json': told, ...files } = await zipAt(`/v1/jobs/${jobId}/pictures`);
    return { files, ...(JSON.parse(told!.toString()) as { jobs: object[]; pictures: object[] }) };
  };
  const { files, jobs, pictures } = await picturesOfJob();
  const [file] = Object.keys(files);
  const [artifact] = (await api.get(`/v1/jobs/${jobId}`, key)).body.result.artifacts;
  expect(files[file!]).toEqual(Buffer.from(await (await fetch(artifact.image_url as string)).arrayBuffer()));
  expect(jobs).toEqual([{ job_id: jobId, status: 'SUCCESS' }]);
  expect(pictures).toMatchObject([{ file, why_not: null, asset_id: artifact.asset_id, label: person }]);
  const stranger = await service.openTenant();
  expectError(await api.get(`/v1/jobs/${jobId}/pictures`, stranger.key), 404, 'RESOURCE_NOT_FOUND');

  expect((await erase('?dry_run=true')).body).toMatchObject({
    pictures: 2,
    jobs: 2,
    products: 1,
    records: 1,
    unfinished_jobs: 1,
  });
  const headers = { 'idempotency-key': 'forget-her' };
  const { status, body: begun } = await erase('', headers);
  expect(status).toBe(202);
  await completed(begun.erasure_id as string);

  for (const gone of [`uploads/${mine}`, `renders/${jobId}`])
    expectError(await api.get(`/v1/${gone}`, key), 410, 'PICTURE_ERASED');
  const left = await picturesOfJob();
  expect(left.files).toEqual({});
  expect(left.pictures).toMatchObject([{ file: null, why_not: 'PICTURE_ERASED' }]);
  expect((await api.get(`/v1/uploads/${others}`, key)).status).toBe(200);
  expect((await api.get(`/v1/renders/${kept}`, key)).status).toBe(200);
  expect((await api.get(`/v1/jobs/${named}`, key)).body.error).toMatchObject({ code: 'CANCELLED' });
  // The fee is still owed to the person.
  const { body: ended } = await api.get(`/v1/releases/${releaseId}`, key);
  expect(ended).toMatchObject({
    data_subject: null,
    document: null,
    fee: { amount: 2, unit: 'credits' },
    status: 'withdrawn',
  });
  // The unfinished job is refunded, the finished one stays paid.
  await eventually(async () => (await api.get('/v1/credits', key)).body.balance === balance + 5);
  expect(await tablesWith(sql, word)).toEqual([]);
  await expectAuditToHold(service);

  const again = await erase('', headers);
  expect(again.body).toEqual(begun);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expectError(await erase(), 404, 'RESOURCE_NOT_FOUND');
  expectError(await erase('?dry_run=true'), 404, 'RESOURCE_NOT_FOUND');
});

it.each([
  ['too long', 'x'.repeat(129)],
  ['not text', '%00'],
  ['unknown', 'nobody'],
])('knows no person whose name is %s', async (_, name) => {
  const { status } = await api.call('DELETE', `/v1/data-subjects/${name}`, { key });
  expect(status).toBe(404);
});

it('is for keys that may erase', async () => {
  const { key: reading } = await service.issueKey(tenant, ['jobs:create', 'jobs:read']);
  expectError(await api.call('DELETE', path, { key: reading }), 403, 'CAPABILITY_REQUIRED');
});

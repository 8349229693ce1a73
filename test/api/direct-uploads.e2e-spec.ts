import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { incomingKey, IncomingPictures } from '#application/picture/incoming-pictures.js';
import type { StorageConfiguration } from '#platform/configuration.js';
import { derivedId, newId } from '#platform/ids.js';
import { S3Storage } from '#storage/s3/s3-storage.js';
import { eventually } from '../support/eventually.js';
import { startRole } from '../support/role-process.js';
import { S3Peer } from '../support/s3-peer.js';
import { testSigningKey } from '../support/signing-key.js';
import { untilEnd } from '../support/until-end.js';
import { ApiClient, expectError, type Answer } from './support/api-client.js';
import type { Tenant } from './support/api-service.js';
import { openWorld } from './support/world.js';

const peer = await S3Peer.start();
untilEnd({ [Symbol.asyncDispose]: () => peer.stop() });
const storage: StorageConfiguration = { kind: 's3', ...peer.options };
const { service, api, tenant } = await openWorld({
  credits: 100,
  configuration: { signingKey: testSigningKey, storage },
});
const other = await service.openTenant();

const square = (background: string) =>
  sharp({ create: { width: 40, height: 20, channels: 3, background } })
    .jpeg()
    .toBuffer();
const picture = await square('#c82828');
const limit = 25 * 1024 * 1024;

interface Form {
  readonly asset_id: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly expires_at: string;
  readonly complete_url: string;
}

async function begin(owner: Tenant = tenant): Promise<Form> {
  const answer = await api.post('/v1/uploads/direct', owner.key, { content_type: 'image/jpeg' });
  expect(answer.status).toBe(201);
  return answer.body as Form;
}

async function send({ url, fields }: Form, bytes: Uint8Array, changed: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, ...changed })) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'a.jpg');
  const answer = await fetch(url, { method: 'POST', body: form });
  return { status: answer.status, code: /<Code>(\w+)/.exec(await answer.text())?.[1] };
}

async function sent(bytes: Uint8Array = picture): Promise<Form> {
  const form = await begin();
  expect(await send(form, bytes)).toEqual({ status: 204, code: undefined });
  return form;
}

const complete = (id: string, body: object = {}, owner = tenant, client = api): Promise<Answer> =>
  client.post(`/v1/uploads/direct/${id}/complete`, owner.key, body);

const keyOf = ({ id, environment }: Pick<Tenant, 'id' | 'environment'>, assetId: string) =>
  incomingKey({ environment, tenant: id }, assetId);
const pathOf = (id: string, owner = tenant) => `/pictures/${keyOf(owner, id)}`;
const isThere = (id: string) => peer.objects.has(pathOf(id));
const uploads = async () => (await api.get('/v1/uploads', tenant.key)).body.total as number;

describe('a direct upload', () => {
  it('goes to the storage by the form, and becomes an upload with its person', async () => {
    const form = await begin();
    expect(form.url).toBe(`${peer.options.endpoint}/pictures`);
    expect(form.complete_url).toBe(`${api.url}/v1/uploads/direct/${form.asset_id}/complete`);
    expect(Date.parse(form.expires_at) - Date.now()).toBeGreaterThan(14 * 60_000);
    expect((await send(form, picture)).status).toBe(204);
    const answer = await complete(form.asset_id, { data_subject: 'anna', retain_days: 3 });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ asset_id: form.asset_id, data_subjects: ['anna'] });
    expect(answer.headers.get('x-consistency-token')).not.toBeNull();
    const found = await fetch(answer.body.image_url as string);
    expect(await sharp(await found.arrayBuffer()).metadata()).toMatchObject({ format: 'jpeg', width: 40 });
    expect(isThere(form.asset_id)).toBe(false);
    expect((await api.get(`/v1/uploads/${form.asset_id}`, tenant.key)).body.upload_key).toBe(
      answer.body.upload_key,
    );
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(100);
  });

  it('is refused by the storage under another key, type, size or signature, and when its time is over', async () => {
    const form = await begin();
    const foreign = keyOf(other, newId());
    for (const changed of [{ key: foreign }, { 'Content-Type': 'text/html' }, { acl: 'public-read' }])
      expect(await send(form, picture, changed)).toEqual({ status: 403, code: 'AccessDenied' });
    const forged = { 'x-amz-signature': '0'.repeat(64) };
    expect(await send(form, picture, forged)).toEqual({ status: 403, code: 'SignatureDoesNotMatch' });
    expect(await send(form, new Uint8Array())).toEqual({ status: 400, code: 'EntityTooSmall' });
    expect(await send(form, new Uint8Array(limit + 1))).toEqual({ status: 400, code: 'EntityTooLarge' });

    const signer = new S3Storage(peer.options);
    const at = new Date(Date.now() - 60_000);
    const terms = { contentType: 'image/jpeg', mostBytes: limit, at, expiresAt: new Date(Date.now() - 1) };
    const old = await signer.presignPost(keyOf(tenant, form.asset_id), terms);
    signer.close();
    expect(await send({ ...form, ...old }, picture)).toEqual({ status: 403, code: 'AccessDenied' });
    expect(isThere(form.asset_id)).toBe(false);
    expect(peer.objects.has(`/pictures/${foreign}`)).toBe(false);
  });

  it('gives the same upload when it is completed again, whatever was sent since', async () => {
    const form = await sent();
    const first = await complete(form.asset_id);
    const before = await uploads();
    expect((await send(form, await square('#0000ff'))).status).toBe(204);
    for (let time = 0; time < 2; time++) {
      const again = await complete(form.asset_id);
      expect(again.status).toBe(201);
      expect(again.body.upload_key).toBe(first.body.upload_key);
      expect(isThere(form.asset_id)).toBe(false);
    }
    expect(await uploads()).toBe(before);
  });

  it('is made once by many requests at the same time', async () => {
    const form = await sent();
    const before = await uploads();
    const answers = await Promise.all(Array.from({ length: 6 }, () => complete(form.asset_id)));
    for (const answer of answers)
      if (answer.status !== 201) expectError(answer, 409, 'IDEMPOTENCY_KEY_IN_USE');
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    const again = await complete(form.asset_id);
    expect(again.body.asset_id).toBe(form.asset_id);
    expect(again.headers.get('x-consistency-token')).toBeNull();
    await eventually(async () => (await uploads()) === before + 1);
  });

  it('is given an earlier upload with reuse, and again the same one', async () => {
    const bytes = await square('#123456');
    const one = await sent(bytes);
    expect((await complete(one.asset_id, { reuse: true })).body.already_there).toBe(false);
    const two = await sent(bytes);
    for (let time = 0; time < 2; time++) {
      const { body } = await complete(two.asset_id, { reuse: true });
      expect(body).toMatchObject({ asset_id: one.asset_id, already_there: true });
      expect(isThere(two.asset_id)).toBe(false);
    }
  });

  it('is not found where nothing was sent, or where another tenant sent it', async () => {
    const form = await sent();
    const [foreign, nothing] = [
      await complete(form.asset_id, {}, other),
      await complete((await begin()).asset_id),
    ];
    for (const answer of [foreign, nothing]) expectError(answer, 404, 'RESOURCE_NOT_FOUND');
    expect(foreign.body.error.message).toBe(nothing.body.error.message);
    expect(nothing.body.error.message).toContain('Send the form');
    expectError(await complete('nonsense'), 404, 'RESOURCE_NOT_FOUND');
    expect(isThere(form.asset_id)).toBe(true);
    expect((await complete(form.asset_id)).status).toBe(201);
  });

  it('is removed when it is no picture, and may then be sent again', async () => {
    const form = await sent(Buffer.from('<html><script>alert(1)</script></html>'));
    expectError(await complete(form.asset_id, { retain_days: 0 }), 422, 'VALIDATION_ERROR');
    expect(isThere(form.asset_id)).toBe(true);
    expectError(await complete(form.asset_id), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(isThere(form.asset_id)).toBe(false);
    expectError(await complete(form.asset_id), 404, 'RESOURCE_NOT_FOUND');
    await send(form, picture.subarray(0, 200));
    expectError(await complete(form.asset_id), 422, 'VALIDATION_ERROR');
    expect(isThere(form.asset_id)).toBe(false);
    await send(form, picture);
    expect((await complete(form.asset_id)).status).toBe(201);
  });

  it('is refused and removed beyond 25 MiB, even if the storage let it pass', async () => {
    const form = await begin();
    peer.objects.set(pathOf(form.asset_id), { bytes: Buffer.alloc(limit + 1), type: 'image/jpeg' });
    expectError(await complete(form.asset_id), 413, 'PAYLOAD_TOO_LARGE');
    expect(isThere(form.asset_id)).toBe(false);
  });

  it('waits in the storage while the service cannot take it', async () => {
    const form = await sent();
    peer.intercept = ({ method, url }, response) => {
      if (method !== 'GET' || !url?.startsWith(pathOf(form.asset_id))) return false;
      response.writeHead(200, { 'content-length': picture.length });
      response.write(picture.subarray(0, 100), () => response.destroy());
      return true;
    };
    expectError(await complete(form.asset_id), 503, 'SERVICE_UNAVAILABLE');
    peer.intercept = undefined;
    expect(isThere(form.asset_id)).toBe(true);
    expect((await complete(form.asset_id)).status).toBe(201);
  });
});

it.each([
  [
    'the picture is stored',
    'PUT',
    (id: string) => `/pictures/${tenant.environment}/${tenant.id}/uploads/${id}`,
  ],
  ['the file is removed', 'DELETE', (id: string) => pathOf(id)],
] as const)('is completed by the next request when the process dies before %s', async (_what, method, at) => {
  const form = await sent();
  const role = await startRole('apps/api/src/main.js', {
    ...service.roleSettings,
    S3_BUCKET: 'pictures',
    S3_REGION: 'eu-central-1',
    S3_ENDPOINT: peer.options.endpoint!,
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    S3_FORCE_PATH_STYLE: 'true',
  });
  const dying = new ApiClient(`http://127.0.0.1:${role.ready['port'] as number}`);
  let reached = false;
  // The request gets no answer.
  peer.intercept = (request) => {
    if (request.method !== method || !request.url?.startsWith(at(form.asset_id))) return false;
    reached = true;
    return true;
  };
  const cut = complete(form.asset_id, {}, tenant, dying).catch(() => 'cut');
  await eventually(() => reached);
  await role.stop('SIGKILL');
  expect(await cut).toBe('cut');
  peer.intercept = undefined;
  expect(isThere(form.asset_id)).toBe(true);

  const before = await uploads();
  // The dead process holds the id for a few seconds.
  const { status, body } = await eventually(async () => {
    const answer = await complete(form.asset_id);
    return answer.status !== 409 && answer;
  });
  expect({ status, id: body.asset_id }).toEqual({ status: 201, id: form.asset_id });
  expect(isThere(form.asset_id)).toBe(false);
  expect(await uploads()).toBeLessThanOrEqual(before + 1);
});

it('is removed an hour after its form, if it was never completed', async () => {
  const storage = new S3Storage(peer.options);
  const incoming = new IncomingPictures(storage);
  const now = Date.now();
  const put = async (ageMs: number) => {
    const id = derivedId(newId(), now - ageMs);
    await storage.put(keyOf(tenant, id), picture, 'image/jpeg');
    return id;
  };
  const minute = 60_000;
  const [old, older, young] = [await put(61 * minute), await put(600 * minute), await put(50 * minute)];
  await storage.put(keyOf(tenant, 'readme'), picture, 'text/plain');
  const elsewhere = keyOf({ id: tenant.id, environment: 'test' }, old);
  await storage.put(elsewhere, picture, 'image/jpeg');
  expect(await incoming.forget('live', new Date(now))).toBe(2);
  expect([old, older, young].map(isThere)).toEqual([false, false, true]);
  expect(peer.objects.has(`/pictures/${elsewhere}`)).toBe(true);
  // The next look comes later.
  expect(await incoming.forget('live', new Date(now + minute))).toBe(0);
  expect(await incoming.forget('live', new Date(now + 15 * minute))).toBe(1);
  storage.close();
});

it('is not offered where pictures are in a folder', async () => {
  const inFolder = await service.openApi();
  const answer = await inFolder.post('/v1/uploads/direct', tenant.key, { content_type: 'image/png' });
  expectError(answer, 422, 'VALIDATION_ERROR');
  expect(answer.body.error.message).toContain('POST /v1/uploads.');
  expectError(await complete(newId(), {}, tenant, inFolder), 404, 'RESOURCE_NOT_FOUND');
});

it('takes no other type, and no field that belongs to the other call', async () => {
  const ask = (body: object) => api.post('/v1/uploads/direct', tenant.key, body);
  for (const body of [{}, { content_type: 'text/html' }, { content_type: 'image/png', retain_days: 3 }])
    expectError(await ask(body), 422, 'VALIDATION_ERROR');
});

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { signingSecretOf } from '#application/key/api-key.js';
import { ApiService, type Tenant } from './support/api-service.js';
import { expectError, type Answer, type ApiClient } from './support/api-client.js';

const signingKey = 'a signing key of tests, long enough';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
/** Of the same tenant, with a key that has to sign. */
let strict: Tenant;
let picture: Buffer;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi(undefined, { signingKey });
  tenant = await service.openTenant({ credits: 1_000 });
  strict = await service.issueKey(tenant, ['jobs:create', 'jobs:read'], true);
  const create = { width: 40, height: 20, channels: 3, background: '#c33' } as const;
  picture = await sharp({ create }).png().toBuffer();
});
afterAll(() => service[Symbol.asyncDispose]());

const sign = ({ keyId }: Tenant, body: string | Uint8Array) =>
  createHmac('sha256', signingSecretOf(signingKey, keyId)).update(body).digest('base64');

function send(who: Tenant, method: string, path: string, body: string | undefined, signature?: string) {
  return api.call(method, path, {
    key: who.key,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(signature === undefined ? {} : { 'x-atelier-hmac-sha256': signature }),
    },
  });
}

/** The words of the 401 that a key of nobody's gets. */
async function refusal(): Promise<string> {
  return (await api.get('/v1/credits', 'nonsense')).body.error.message as string;
}

async function expectUnauthenticated(answer: Answer): Promise<void> {
  expectError(answer, 401, 'UNAUTHENTICATED');
  expect(answer.body.error.message).toBe(await refusal());
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
}

const wrongSignatures = (right: string) => [
  '',
  'nonsense',
  `${right.slice(0, 10)}${right[10] === 'A' ? 'B' : 'A'}${right.slice(11)}`,
  right.replace(/=$/, ''),
  Buffer.from(right, 'base64').toString('hex'),
  `sha256=${right}`,
  `${right}, ${right}`,
  Buffer.alloc(32).toString('base64'),
];

describe('X-Atelier-Hmac-Sha256', () => {
  it('is the HMAC of the raw body with the signing secret of the key, white space and all', async () => {
    for (const who of [tenant, strict]) {
      for (const body of ['{"seed":7}', '{ "seed" : 7 }\n', '{"display_name":"Zoë"}']) {
        expect((await send(who, 'POST', '/v1/model-generator', body, sign(who, body))).status).toBe(202);
      }
    }
  });

  it('is the HMAC of the empty body for a GET', async () => {
    expect((await send(strict, 'GET', '/v1/credits', undefined, sign(strict, ''))).status).toBe(200);
    await expectUnauthenticated(await send(strict, 'GET', '/v1/credits', undefined, sign(strict, 'x')));
  });

  it('covers a POST without a body, and one whose body nobody reads', async () => {
    const { body } = await send(tenant, 'POST', '/v1/model-generator', '{}');
    const cancel = `/v1/jobs/${String(body.job_id)}/cancel`;
    await expectUnauthenticated(await send(tenant, 'POST', cancel, '{"a":1}', sign(tenant, '')));
    await expectUnauthenticated(await send(tenant, 'POST', cancel, undefined, sign(tenant, '{}')));
    // Called something that is streamed elsewhere, it is read here all the same.
    const disguised = await api.call('POST', cancel, {
      key: tenant.key,
      body: 'x',
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        'x-atelier-hmac-sha256': sign(tenant, ''),
      },
    });
    await expectUnauthenticated(disguised);
    expect((await send(tenant, 'POST', cancel, undefined, sign(tenant, ''))).status).toBe(200);
  });

  it('may be absent, unless the key asks for it', async () => {
    expect((await send(tenant, 'POST', '/v1/model-generator', '{}')).status).toBe(202);
    await expectUnauthenticated(await send(strict, 'POST', '/v1/model-generator', '{}'));
    await expectUnauthenticated(await send(strict, 'GET', '/v1/credits', undefined));
  });

  it('that is wrong or malformed gives the 401 of a wrong key, before the body is judged, and charges nothing', async () => {
    const balance = (await api.get('/v1/credits', tenant.key)).body.balance as number;
    const usage = (await api.get('/v1/usage', tenant.key)).body.total as number;
    for (const body of ['{}', '{"unknown":1}', '{', '']) {
      for (const wrong of wrongSignatures(sign(tenant, body))) {
        await expectUnauthenticated(await send(tenant, 'POST', '/v1/model-generator', body, wrong));
      }
    }
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(balance);
    expect((await api.get('/v1/usage', tenant.key)).body.total).toBe(usage);
  });

  it('is checked before the capability, and made with the secret of the very key', async () => {
    const reader = await service.issueKey(tenant, ['jobs:read']);
    await expectUnauthenticated(await send(reader, 'POST', '/v1/model-generator', '{}', sign(tenant, '{}')));
    const lacking = await send(reader, 'POST', '/v1/model-generator', '{}', sign(reader, '{}'));
    expectError(lacking, 403, 'CAPABILITY_REQUIRED');
  });

  it('does not make a body larger than any other may be', async () => {
    const body = `{"metadata":"${'x'.repeat(1024 * 1024)}"}`;
    const answer = await send(tenant, 'POST', '/v1/model-generator', body, sign(tenant, body));
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE');
  });

  it('is refused in plain words where the installation has no signing key', async () => {
    const without = await service.openApi();
    expect((await without.get('/v1/credits', tenant.key)).status).toBe(200);
    const answer = await without.get('/v1/credits', tenant.key, {
      'x-atelier-hmac-sha256': sign(tenant, ''),
    });
    expectError(answer, 400, 'BAD_REQUEST');
    expect(answer.body.error.message).toContain('ATELIER_SIGNING_KEY');
  });
});

describe('a signed upload', () => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
  const form = (bytes: Uint8Array, tail = '\r\n--b--\r\n', start = head) =>
    Buffer.concat([Buffer.from(start), bytes, Buffer.from(tail)]);

  const upload = (who: Tenant, body: Uint8Array<ArrayBuffer>, signature: string) =>
    api.call('POST', '/v1/uploads', {
      key: who.key,
      body,
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        'x-atelier-hmac-sha256': signature,
      },
    });
  const stored = async () =>
    (await readdir(`${service.folder}/objects/live/${tenant.id}/uploads`).catch(() => [])).length;

  it('is kept when the signature covers every byte, those after the form too', async () => {
    for (const tail of ['\r\n--b--', '\r\n--b--\r\n', `\r\n--b--\r\n${'epilogue '.repeat(20_000)}`]) {
      const body = form(picture, tail);
      expect((await upload(strict, body, sign(strict, body))).status).toBe(201);
    }
    const large = form(Buffer.concat([picture, Buffer.alloc(10_000_000, 7)]));
    expect((await upload(strict, large, sign(strict, large))).status).toBe(201);
  });

  it('is not kept when it covers anything else, whatever else is wrong with it', async () => {
    const before = await stored();
    const events = await service.store.head();
    const body = form(picture);
    const epilogue = form(picture, '\r\n--b--\r\nmore');
    const anotherField = form(picture, undefined, head.replace('"file"', '"picture"'));
    const many = Buffer.concat([form(picture, '\r\n'), form(Buffer.alloc(400_000, 7))]);
    const noPicture = form(Buffer.from('text'));
    const cut = form(picture, '');
    for (const sent of [body, epilogue, anotherField, many, noPicture, cut]) {
      const right = sign(tenant, body);
      for (const wrong of sent === body ? wrongSignatures(right) : [right]) {
        await expectUnauthenticated(await upload(tenant, sent, wrong));
      }
    }
    expect(await stored()).toBe(before);
    expect(await service.store.head()).toBe(events);
  });

  it('that is right and no picture is told what is wrong with it', async () => {
    const anotherField = form(picture, undefined, head.replace('"file"', '"picture"'));
    expectError(await upload(tenant, anotherField, sign(tenant, anotherField)), 422, 'VALIDATION_ERROR');
    const text = form(Buffer.from('text'));
    expectError(await upload(tenant, text, sign(tenant, text)), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const huge = form(Buffer.alloc(25 * 1024 * 1024 + 1, 0xff));
    expectError(await upload(tenant, huge, sign(tenant, huge)), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('whose client goes away leaves nothing behind', async () => {
    const before = await stored();
    const body = form(picture);
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.key}\r\n` +
        `X-Atelier-Hmac-Sha256: ${sign(tenant, body)}\r\nContent-Length: ${body.length + 10}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\n\r\n',
    );
    socket.write(body);
    await sleep(100);
    socket.destroy();
    await sleep(100);
    expect(await stored()).toBe(before);
    expect((await api.get('/health/live')).status).toBe(200);
  });
});

import { testSigningKey } from '../support/signing-key.js';
import { execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { signingSecretOf } from '#application/key/api-key.js';
import { rotateKey } from '../support/operator.js';
import { contextOf, type Tenant } from './support/api-service.js';
import { complaints, expectError, type Answer } from './support/api-client.js';
import { openWorld } from './support/world.js';

const signingKey = testSigningKey;

const { service, api, tenant } = await openWorld({ credits: 1_000, configuration: { signingKey } });
/** The same tenant, with a key that requires signatures. */
const strict = await service.issueKey(tenant, ['jobs:create', 'jobs:read'], true);
/** The same tenant, with a key whose signatures must name their time. */
const strictest = await service.issueKey(tenant, ['jobs:create', 'jobs:read'], 'timed');
const create = { width: 40, height: 20, channels: 3, background: '#c33' } as const;
const picture = await sharp({ create }).png().toBuffer();

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

/** The message of the 401 for an unknown key. */
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
    // Other routes stream a body of this content type; this route reads it all the same.
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
    const without = await service.openApi(undefined, { signingKey: undefined });
    expect((await without.get('/v1/credits', tenant.key)).status).toBe(200);
    const answer = await without.get('/v1/credits', tenant.key, {
      'x-atelier-hmac-sha256': sign(tenant, ''),
    });
    expectError(answer, 400, 'BAD_REQUEST');
    expect(answer.body.error.message).toContain('ATELIER_SIGNING_KEY');
  });
});

describe('a signature that names its time', () => {
  interface Signed {
    readonly method: string;
    readonly path: string;
    readonly key: string | undefined;
    readonly body: string | undefined;
    readonly ageSeconds: number;
  }

  const dispatched: Signed = {
    method: 'POST',
    path: '/v1/model-generator?dry_run=false',
    key: 'once',
    body: '{"seed":7}',
    ageSeconds: 0,
  };

  const reading = (path: string): Signed => ({
    method: 'GET',
    path,
    key: undefined,
    body: undefined,
    ageSeconds: 0,
  });

  function timed(who: Tenant, { method, path, key = '', body = '', ageSeconds }: Signed): string {
    const time = Math.floor(Date.now() / 1000) - ageSeconds;
    return `t=${time},v1=${sign(who, `${time}\n${method}\n${path}\n${key}\n${body}`)}`;
  }

  /** Sends one request with another request's signature, or with its own. */
  function sendSigned(
    who: Tenant,
    request: Signed,
    signature = timed(who, request),
    to = api,
  ): Promise<Answer> {
    const { method, path, key, body } = request;
    return to.call(method, path, {
      key: who.key,
      ...(body === undefined ? {} : { body }),
      headers: {
        'x-atelier-hmac-sha256': signature,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
    });
  }

  it('lets the very request through that was signed, and a repetition that is signed anew charges nothing', async () => {
    for (const who of [tenant, strict, strictest]) {
      const request = { ...dispatched, key: `of ${who.keyId}`.replace(' ', '-') };
      const first = await sendSigned(who, request);
      expect(first.status).toBe(202);
      const { balance } = (await api.get('/v1/credits', tenant.key)).body;
      const again = await sendSigned(who, request, timed(who, { ...request, ageSeconds: 60 }));
      expect(again.body).toEqual(first.body);
      expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(balance);
    }
    expect((await sendSigned(strictest, reading('/v1/jobs?limit=1'))).status).toBe(200);
  });

  it('is good once, for whatever was signed and in whichever process', async () => {
    const other = await service.openApi(undefined, { signingKey });
    const endpoint = { url: 'https://shop.example/hook', events: ['job.succeeded'] };
    const made = await api.post('/v1/webhooks', tenant.key, endpoint);
    const { asset_id: asset } = (await api.upload(tenant.key, new Uint8Array(picture))).body;
    expect(made.status).toBe(201);
    const post = (path: string, body: object = {}): Signed => ({
      method: 'POST',
      path,
      ageSeconds: 0,
      key: undefined,
      body: JSON.stringify(body),
    });
    const requests: Signed[] = [
      { ...dispatched, key: 'replayed' },
      reading('/v1/operations'),
      post('/v1/client-tokens', { purpose: 'upload' }),
      post('/v1/webhooks', { ...endpoint, url: 'https://shop.example/other' }),
      post(`/v1/webhooks/${String(made.body.public_id)}/rotate-secret`),
      post('/v1/products', { upload_asset_public_id: asset, title: 'Skirt' }),
    ];
    for (const request of requests) {
      const signature = timed(strictest, request);
      const { status, body } = await sendSigned(strictest, request, signature);
      expect([request.path, status < 300, body]).toEqual([request.path, true, body]);
      for (const replica of [api, other]) {
        const again = await sendSigned(strictest, request, signature, replica);
        expectError(again, 401, 'UNAUTHENTICATED');
        expect(again.body.error.message).toContain('was used before');
      }
    }
    const body = (await api.get('/v1/webhooks', tenant.key)).body as { items: unknown[] };
    expect(body.items).toHaveLength(2);
    expect((await api.get('/v1/products', tenant.key)).body.total).toBe(1);
  });

  it('names its time in milliseconds where the same thing is sent twice in a second', async () => {
    for (const now of [Date.now(), Date.now() + 1]) {
      const signature = `t=${now},v1=${sign(strictest, `${now}\nGET\n/v1/credits\n\n`)}`;
      expect((await sendSigned(strictest, reading('/v1/credits'), signature)).status).toBe(200);
    }
    const old = Date.now() - 310_000;
    const signature = `t=${old},v1=${sign(strictest, `${old}\nGET\n/v1/credits\n\n`)}`;
    expectError(await sendSigned(strictest, reading('/v1/credits'), signature), 401, 'UNAUTHENTICATED');
  });

  it('is of no use for another method, path, query, Idempotency-Key, body or time', async () => {
    const signature = timed(strictest, dispatched);
    const [time = '', mac = ''] = signature.split(',');
    const { balance } = (await api.get('/v1/credits', tenant.key)).body;
    const others: Signed[] = [
      { ...dispatched, path: '/v1/look?dry_run=false' },
      { ...dispatched, path: '/v1/model-generator' },
      { ...dispatched, key: 'twice' },
      { ...dispatched, key: undefined },
      { ...dispatched, body: '{"seed":8}' },
    ];
    for (const other of others) await expectUnauthenticated(await sendSigned(strictest, other, signature));
    const later = `t=${Number(time.slice(2)) + 1},${mac}`;
    for (const wrong of [
      later,
      mac.slice(3),
      `${time},v1=`,
      `v1=x,${time}`,
      `${signature},v1=x`,
      `t=0,${mac}`,
    ]) {
      await expectUnauthenticated(await sendSigned(strictest, dispatched, wrong));
    }
    const cancel = { ...dispatched, path: '/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF/cancel', body: undefined };
    const read = timed(strictest, { ...cancel, method: 'GET' });
    await expectUnauthenticated(await sendSigned(strictest, cancel, read));
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(balance);
  });

  it('is good for five minutes before and after, and who signed is told about the clock', async () => {
    for (const [index, ageSeconds] of [-290, 0, 290].entries()) {
      const request = { ...dispatched, key: `aged-${index}`, ageSeconds };
      expect((await sendSigned(strictest, request)).status).toBe(202);
    }
    for (const ageSeconds of [-310, 310, 86_400]) {
      const answer = await sendSigned(strictest, { ...dispatched, key: 'old', ageSeconds });
      expectError(answer, 401, 'UNAUTHENTICATED');
      expect(answer.body.error.message).toMatch(
        ageSeconds > 0 ? /seconds behind ours/ : /seconds ahead of ours/,
      );
    }
  });

  it('asks a dispatch for an Idempotency-Key, without which it could be repeated', async () => {
    const answer = await sendSigned(tenant, { ...dispatched, key: undefined });
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(complaints(answer)).toEqual(['header.Idempotency-Key']);
  });

  it('is what a key can ask for, also of those who only read', async () => {
    await expectUnauthenticated(await send(strictest, 'GET', '/v1/credits', undefined, sign(strictest, '')));
    await expectUnauthenticated(await send(strictest, 'GET', '/v1/credits', undefined));
    const body = '{"seed":7}';
    await expectUnauthenticated(
      await send(strictest, 'POST', '/v1/model-generator', body, sign(strictest, body)),
    );
  });

  it('is asked for of the successor of such a key', async () => {
    const rotated = await rotateKey(service.store, contextOf('live', tenant.id), strictest.keyId, 0);
    if (rotated.kind === 'rejected') throw new Error(rotated.rejection.code);
    const successor = { ...strictest, ...rotated.successor };
    await expectUnauthenticated(await send(successor, 'GET', '/v1/credits', undefined, sign(successor, '')));
    expect((await sendSigned(successor, reading('/v1/credits'))).status).toBe(200);
  });

  describe('made as docs/signed-requests.md shows', () => {
    const page = readFileSync('docs/signed-requests.md', 'utf8');
    const languages = [
      ['sh', 'bash', 'sign.sh'],
      ['python', 'python3', 'sign.py'],
      ['typescript', process.execPath, 'sign.mts'],
    ] as const;

    for (const [language, program, file] of languages) {
      const canRun = spawnSync(program, ['--version']).status === 0;
      (canRun ? it : it.skip)(`is accepted from ${language}`, async () => {
        const [, snippet] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? [];
        const path = join(service.folder, file);
        await writeFile(path, snippet ?? '');
        const successor = await service.issueKey(tenant, ['jobs:create'], 'timed');
        const env = {
          ...process.env,
          URL: api.url,
          API_KEY: successor.key,
          SIGNING_SECRET: signingSecretOf(signingKey, successor.keyId),
        };
        const { stdout } = await promisify(execFile)(program, [path], { env });
        expect(JSON.parse(stdout)).toMatchObject({ status: 'NOT_STARTED', credits_cost: 5 });
      });
    }
  });
});

describe('a signed upload', () => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
  const form = (bytes: Uint8Array, tail = '\r\n--b--\r\n', start = head) =>
    Buffer.concat([Buffer.from(start), bytes, Buffer.from(tail)]);

  const upload = (who: Tenant, body: Uint8Array<ArrayBuffer>, signature: string, path = '/v1/uploads') =>
    api.call('POST', path, {
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

  it('of several pictures is kept when the signature covers them all', async () => {
    const body = form(Buffer.concat([picture, Buffer.from(`\r\n${head}`), picture]));
    const path = '/v1/uploads/batch';
    expect((await upload(strict, body, sign(strict, body), path)).body.items).toHaveLength(2);
    const changed = Buffer.concat([body, Buffer.from('\r\n')]);
    await expectUnauthenticated(await upload(strict, changed, sign(strict, body), path));
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

  it('is kept when its signature names the time, and not when that is long ago', async () => {
    const body = form(picture);
    const signed = (time: number) =>
      `t=${time},v1=${sign(tenant, Buffer.concat([Buffer.from(`${time}\nPOST\n/v1/uploads\n\n`), body]))}`;
    const now = Math.floor(Date.now() / 1000);
    expect((await upload(tenant, body, signed(now))).status).toBe(201);
    const before = await stored();
    expectError(await upload(tenant, body, signed(now)), 401, 'UNAUTHENTICATED');
    expectError(await upload(tenant, body, signed(now - 400)), 401, 'UNAUTHENTICATED');
    expect(await stored()).toBe(before);
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

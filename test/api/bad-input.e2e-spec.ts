import { afterEach, describe, expect, it } from 'vitest';
import { complaints, expectError, type Answer, type Json } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ credits: 100 });

/** No request of this file is accepted. */
afterEach(async () => {
  expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(100);
  expect((await api.get('/v1/jobs', tenant.key)).body.count).toBe(0);
});

const dispatches = ['/v1/model-generator', '/v1/product-to-model-direct'];

function send(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
): Promise<Answer> {
  return api.call('POST', path, { key: tenant.key, body, headers: { 'content-type': type } });
}

describe.each(dispatches)('%s', (path) => {
  it.each([
    ['nothing', ''],
    ['half an object', '{"seed":'],
    ['a trailing comma', '{"seed":1,}'],
    ['text', 'seed=1'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('refuses a body that is %s', async (_what, body) => {
    const answer = await send(path, body);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(complaints(answer)).toEqual(['body']);
  });

  it('refuses fields that it does not know, an owner among them', async () => {
    for (const field of [
      'client_id',
      'tenant_id',
      'owner',
      'Seed',
      'seed ',
      'toString',
      'hasOwnProperty',
      '0',
      '',
    ]) {
      for (const value of ['x', null]) {
        const answer = await send(path, JSON.stringify({ [field]: value }));
        expectError(answer, 422, 'VALIDATION_ERROR');
        expect(complaints(answer)).toContain(field === '0' ? 'body.0' : `body.${field}`);
      }
    }
  });

  it('refuses names that reach for prototypes, however deep', async () => {
    const bodies = [
      '{"__proto__":{"seed":1}}',
      '{"constructor":{"prototype":{"seed":1}}}',
      '{"prototype":1}',
      '{"toString":1}',
      '{"authoring":{"constructor":1}}',
      '{"__proto__":null}',
      '{"metadata":{"__proto__":{"admin":true}}}',
      '{"metadata":{"a":[{"__proto__":1}]}}',
      '{"metadata":{"\\u005f_proto__":1}}',
    ];
    for (const body of bodies) expectError(await send(path, body), 422, 'VALIDATION_ERROR');
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('refuses text that no database keeps, and numbers that no JSON does', async () => {
    const bodies = [
      '{"display_name":"a\\u0000b"}',
      '{"display_name":"\\ud800"}',
      '{"metadata":{"a":"\\u0000"}}',
      '{"metadata":{"\\u0000":1}}',
      '{"metadata":{"a":1e999}}',
      '{"seed":1e999}',
    ];
    for (const body of bodies) expectError(await send(path, body), 422, 'VALIDATION_ERROR');
  });

  it('refuses nesting that is deep for its own sake', async () => {
    const deep = `{"metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`;
    expectError(await send(path, deep), 422, 'VALIDATION_ERROR');
    expectError(await send(path, '['.repeat(100_000)), 422, 'VALIDATION_ERROR');
    expectError(await send(path, '['.repeat(5_000) + ']'.repeat(5_000)), 422, 'VALIDATION_ERROR');
  });

  it('takes a body of 128 KiB into account, and none beyond', async () => {
    const filled = (bytes: number) => `{"metadata":"${'x'.repeat(bytes - '{"metadata":""}'.length)}"}`;
    expectError(await send(path, filled(128 * 1024)), 422, 'VALIDATION_ERROR');
    const beyond = await send(path, filled(128 * 1024 + 1));
    expectError(beyond, 413, 'PAYLOAD_TOO_LARGE');
    expect(beyond.body.error.message).toContain('131072 bytes (128 KiB)');
    // Without a Content-Length the limit holds as well.
    const chunked = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let sent = 0; sent < 3; sent++)
          controller.enqueue(new TextEncoder().encode(' '.repeat(512 * 1024)));
        controller.close();
      },
    });
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: chunked,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it('stops reading at 5,000 values, and telling of unknown fields at a hundred', async () => {
    const list = (count: number) => `{"metadata":[${Array.from({ length: count }, () => 1).join()}]}`;
    expect(complaints(await send(path, list(4_990)))).toEqual(['body.metadata']);
    expect((await send(path, list(5_000))).body.detail).toMatchObject([{ loc: ['body'], type: 'too_long' }]);
    const unknown = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`no${index}`, 1]));
    expect(complaints(await send(path, JSON.stringify(unknown)))).toEqual(
      Array.from({ length: 100 }, (_, index) => `body.no${index}`),
    );
  });

  it('takes JSON only', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'x',
    ]) {
      expectError(await send(path, '{}', type), 415, 'UNSUPPORTED_MEDIA_TYPE');
    }
    expectError(await send(path, '{"seed":"1"}', 'application/json; charset=utf-8'), 422, 'VALIDATION_ERROR');
  });

  it('refuses an Idempotency-Key that is no visible ASCII or too long', async () => {
    for (const key of ['x'.repeat(256), 'with blank', '\u00e9']) {
      const body = path.includes('product') ? { product_image_s3_key: 'x' } : {};
      const answer = await api.post(path, tenant.key, body, { 'idempotency-key': key });
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['header.Idempotency-Key']);
    }
  });
});

it('each refusal is in the usage log once, and costs nothing', async () => {
  const path = '/v1/model-generator';
  const poor = await service.openTenant({ credits: 4 });
  const reader = await service.issueKey(poor, ['jobs:read']);
  const absent = { model_spec_public_id: '01K9Z7J0V4M2Q8T6R3N5B1C7DE', generation_stage: 'full_body' };
  const refusals = [
    [402, 'INSUFFICIENT_BALANCE', await api.post(path, poor.key, {})],
    [403, 'CAPABILITY_REQUIRED', await api.post(path, reader.key, {})],
    [404, 'RESOURCE_NOT_FOUND', await api.post(path, poor.key, absent)],
    [415, 'UNSUPPORTED_MEDIA_TYPE', await api.call('POST', path, { key: poor.key, body: '{}' })],
    [422, 'VALIDATION_ERROR', await api.post(path, poor.key, { seed: 'x' })],
  ] as const;
  for (const [status, code, answer] of refusals) expectError(answer, status, code);
  const { items } = (await api.get('/v1/usage', poor.key)).body;
  expect((items as Json[]).toReversed()).toMatchObject(
    refusals.map(([http_status, error_code, { body }]) => {
      const free = { status: 'FAILED', credits_charged: 0 };
      return {
        endpoint: path,
        method: 'POST',
        http_status,
        error_code,
        request_id: body.error.request_id,
        ...free,
      };
    }),
  );
  expect((await api.get('/v1/credits', poor.key)).body.balance).toBe(4);
  expect((await api.get('/v1/jobs', poor.key)).body.count).toBe(0);
});

describe('a path', () => {
  it('that leads nowhere is 404, and one with another method 405', async () => {
    for (const path of ['/v1', '/v2/jobs', '/v1/try-onn', '/v1/jobs/a/b/c', '/objects']) {
      expectError(await api.get(path, tenant.key), 404, 'RESOURCE_NOT_FOUND');
    }
    for (const [method, path, allow] of [
      ['DELETE', '/v1/jobs', 'GET, HEAD'],
      ['GET', '/v1/model-generator', 'POST'],
      ['PUT', '/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF', 'DELETE, GET, HEAD'],
      ['DELETE', '/v1/retention', 'GET, HEAD, PATCH'],
      ['POST', '/v1/bucket', 'DELETE, GET, HEAD, PUT'],
      ['POST', '/health/live', 'GET, HEAD'],
    ] as const) {
      const answer = await api.call(method, path, { key: tenant.key });
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow')).toBe(allow);
    }
  });

  it('with an id that is none answers 404 as for an unknown one', async () => {
    const ids = [
      '01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
      'x',
      '01k9z7j0v6x8y2z4a6b8c0d2ef',
      '%00',
      "'; drop table jobs",
      'é',
    ];
    for (const kind of ['jobs', 'renders']) {
      const bodies = new Set<string>();
      for (const each of ids) {
        const answer = await api.get(`/v1/${kind}/${encodeURIComponent(each)}`, tenant.key);
        expectError(answer, 404, 'RESOURCE_NOT_FOUND');
        bodies.add(answer.body.error.message as string);
      }
      expect(bodies.size).toBe(1);
    }
  });

  it('that is not encoded well is answered in the envelope', async () => {
    for (const path of [
      '/v1/jobs/%',
      '/v1/jobs/%zz',
      '/v1/jobs/%ff',
      `/v1/jobs/${'x'.repeat(2_000)}`,
      '/%',
    ]) {
      const { status, text } = await api.raw(path, { authorization: `Bearer ${tenant.key}` });
      expect({ path: path.slice(0, 20), is4xx: status >= 400 && status < 500 }).toEqual({
        path: path.slice(0, 20),
        is4xx: true,
      });
      expect(JSON.parse(text)).toHaveProperty('error.request_id');
    }
  });
});

describe('HTTP', () => {
  it('with a body that stops half way does no harm', async () => {
    const head = `POST /v1/model-generator HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.key}\r\n`;
    const { connect } = await import('node:net');
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"seed"`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await api.get('/health/live')).status).toBe(200);
  });

  it('with a consistency token of nobody’s making is refused', async () => {
    const forged = (text: string) => Buffer.from(text).toString('base64url');
    for (const token of [
      'x',
      forged('live.'),
      forged('live.-1'),
      forged('test.1'),
      forged('live.1e9'),
      'é',
    ]) {
      const answer = await api.get('/v1/jobs', tenant.key, { 'x-consistency-token': token });
      expectError(answer, 422, 'VALIDATION_ERROR');
    }
    const early = await api.get('/v1/jobs', tenant.key, { 'x-consistency-token': forged('live.1') });
    expect(early.status).toBe(200);
  });
});

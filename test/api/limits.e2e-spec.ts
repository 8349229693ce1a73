import { testSigningKey } from '../support/signing-key.js';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defaultHttpLimits } from '../../apps/api/src/http/request-body.js';
import { complaints, expectError, type Json } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ credits: 100 });
const document: Json = (await api.get('/openapi.json')).body;

const patienceMs = 300;
const limits = {
  ...defaultHttpLimits,
  headersMs: patienceMs,
  bodyIdleMs: patienceMs,
  jsonBodyMs: 3 * patienceMs,
  checkMs: 50,
};
/** The same API with little patience. */
const hasty = await service.openApi(undefined, { signingKey: testSigningKey }, limits);

const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/;

interface Told {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly code: string | undefined;
  readonly afterMs: number;
}

/** Sends one piece every `everyMs`, and reads until the other side closes. */
async function sendSlowly(pieces: readonly string[], everyMs: number): Promise<Told> {
  const startedAt = performance.now();
  const socket = connect(Number(new URL(hasty.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
  // The server closes the socket while we write; the test measures when.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  let next = 0;
  const timer = setInterval(() => {
    const piece = pieces[next++];
    if (piece !== undefined && !socket.destroyed) socket.write(piece);
  }, everyMs);
  socket.write(pieces[next++] ?? '');
  await closed;
  clearInterval(timer);
  return { ...told(answer), afterMs: performance.now() - startedAt };
}

/** Writes bytes to a socket unchanged, and reads until the other side closes it. */
async function talk(bytes: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  return text(socket);
}

function told(answer: string): Omit<Told, 'afterMs'> {
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  const requestId = /^x-request-id: (\S+)\r$/im.exec(answer)?.[1];
  const code = /"code":"([A-Z_]+)"/.exec(answer)?.[1];
  return { status, requestId, code };
}

const head = (path: string, more: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${tenant.key}`, ...more, '', ''].join('\r\n');

const jsonHead = (length: number) =>
  head('/v1/model-generator', ['Content-Type: application/json', `Content-Length: ${length}`]);

const multipart = 'Content-Type: multipart/form-data; boundary=b';
const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';

describe('a slow client', () => {
  it('that stops in the middle of a body is answered 408, and its connection ends', async () => {
    for (const pieces of [
      [`${jsonHead(100)}{"seed"`],
      [head('/v1/uploads', [multipart, 'Content-Length: 100000']) + part + 'x'.repeat(1_000)],
      [head('/v1/uploads', [multipart, 'Content-Length: 100000'])],
      [head('/v1/uploads/batch', [multipart, 'Content-Length: 100000']) + `${part}x\r\n${part}x`],
    ]) {
      const { status, requestId, code, afterMs } = await sendSlowly(pieces, 50);
      expect({ status, code }).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
      expect(requestId).toMatch(ulid);
      expect(afterMs).toBeGreaterThanOrEqual(patienceMs);
      expect(afterMs).toBeLessThan(30_000);
    }
  });

  it('that signs gets no more time', async () => {
    const signature = `X-Atelier-Hmac-Sha256: ${Buffer.alloc(32).toString('base64')}`;
    for (const pieces of [
      [head('/v1/model-generator', ['Content-Length: 100', signature])],
      [head('/v1/uploads', [multipart, 'Content-Length: 100000', signature]) + part],
      // The form is complete, but its body is not.
      [head('/v1/uploads', [multipart, 'Content-Length: 100000', signature]) + `${part}x\r\n--b--\r\n`],
    ]) {
      expect(await sendSlowly(pieces, 50)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
    }
  });

  it('that sends a JSON body in drops is answered 408 as well, however steady they are', async () => {
    const drops = Array.from({ length: 100 }, () => ' ');
    const { status, code, afterMs } = await sendSlowly([jsonHead(100), ...drops], patienceMs / 6);
    expect({ status, code }).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
    expect(afterMs).toBeGreaterThanOrEqual(3 * patienceMs);
  });

  it('that is slow, but not that slow, is served', async () => {
    const body = '{"seed":7}';
    const pieces = [jsonHead(body.length).replace('Host: x', 'Host: x\r\nConnection: close'), ...body];
    expect(await sendSlowly(pieces, patienceMs / 10)).toMatchObject({ status: 202 });
  });

  it('that does not finish its headers is answered 408', async () => {
    const { status, code, requestId } = await sendSlowly(['GET /v1/jobs HTTP/1.1\r\nHost: x\r\n'], 50);
    expect({ status, code }).toEqual({ status: 408, code: 'REQUEST_TIMEOUT' });
    expect(requestId).toMatch(ulid);
  });

  it('was charged for nothing in all of that', async () => {
    const { items } = (await api.get('/v1/transactions', tenant.key)).body;
    expect((items as Json[]).filter(({ kind }) => kind === 'operation')).toHaveLength(1);
  });
});

describe('uploads at the same time', () => {
  it('are 64; one more is told to come back, and finds a place when another one is done', async () => {
    const sockets: Socket[] = [];
    const refused = new Set<Socket>();
    const open = async () => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(head('/v1/uploads', [multipart, 'Content-Length: 1000000']) + part);
      socket.on('data', () => refused.add(socket));
      sockets.push(socket);
    };
    const tiny = () => api.upload(tenant.key, new Uint8Array([1]));
    try {
      for (let each = 0; each < 70; each++) await open();
      for (let tries = 0; refused.size < 6 && tries < 100; tries++) await sleep(10);
      expect(refused.size).toBe(6);
      let answer = await tiny();
      expectError(answer, 503, 'SERVICE_UNAVAILABLE');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      // Everything else goes on.
      expect((await api.get('/v1/credits', tenant.key)).status).toBe(200);
      sockets.find((socket) => !refused.has(socket))?.destroy();
      for (let tries = 0; answer.status === 503 && tries < 100; tries++) answer = await tiny();
      expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

describe('every list', () => {
  it('takes pages of 1 to 200 from the place that is asked for, and nothing beyond', async () => {
    // Lists that belong to one thing, such as the deliveries of an endpoint, have their own specs.
    const lists = Object.entries<Json>(document.paths).filter(
      ([path, { get }]) =>
        !path.includes('{public_id}') &&
        ((get?.parameters ?? []) as Json[]).some(({ name }) => name === 'limit'),
    );
    expect(lists.map(([path]) => path)).toEqual(
      expect.arrayContaining(['/v1/jobs', '/v1/renders', '/v1/usage', '/v1/transactions']),
    );
    const resources = document.components.schemas.CatalogResource.enum as string[];
    const filled = lists.flatMap(([path, { get }]) =>
      path.includes('{resource}')
        ? resources.map((resource) => [path.replace('{resource}', resource), get] as const)
        : [[path, get] as const],
    );
    for (const [path, get] of filled) {
      const parameter = (wanted: string) =>
        (get.parameters as Json[]).find(({ name }) => name === wanted).schema;
      expect({ path, ...parameter('limit') }).toMatchObject({ path, minimum: 1, maximum: 200 });
      const deepest = parameter('offset').maximum as number;
      for (const query of ['limit=1', 'limit=200', 'offset=0', `offset=${deepest}`, 'limit=200&offset=7']) {
        const { status, body } = await api.get(`${path}?${query}`, tenant.key);
        expect({ path, query, status }).toEqual({ path, query, status: 200 });
        const asked = Object.fromEntries(new URLSearchParams(query));
        for (const [name, value] of Object.entries(asked)) expect(body[name]).toBe(Number(value));
      }
      for (const [name, values] of [
        ['limit', ['0', '201', '-1', '1.5', 'x', '', '1e2', '0x10', ' 5', '٣', '9'.repeat(30)]],
        ['offset', ['-1', String(deepest + 1), '1.5', 'x', '', '9'.repeat(30)]],
      ] as const) {
        for (const value of values) {
          const answer = await api.get(`${path}?${name}=${encodeURIComponent(value)}`, tenant.key);
          expect({ path, name, value, status: answer.status }).toEqual({ path, name, value, status: 422 });
          expect(complaints(answer)).toEqual([`query.${name}`]);
        }
      }
      for (const query of ['limit=1&limit=2', 'page=2'])
        expectError(await api.get(`${path}?${query}`, tenant.key), 422, 'VALIDATION_ERROR');
      expect((await api.get(path, tenant.key)).body).toMatchObject({ limit: 50, offset: 0 });
    }
  });
});

describe('the request id', () => {
  it('is on every answer, in the header and in every error, and never the same twice', async () => {
    const seen = new Set<string>();
    const calls: [string, string, string | undefined, number][] = [
      ['GET', '/v1/credits', tenant.key, 200],
      ['POST', '/v1/model-generator', tenant.key, 422],
      ['GET', '/v1/credits', undefined, 401],
      ['GET', '/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF', tenant.key, 404],
      ['GET', '/nowhere', undefined, 404],
      ['DELETE', '/v1/jobs', tenant.key, 405],
      ['POST', '/health/live', undefined, 405],
      ['OPTIONS', '/v1/jobs', undefined, 405],
      ['GET', '/health/live', undefined, 200],
      ['GET', '/openapi.json', undefined, 200],
      ['GET', '/docs', undefined, 200],
      ['GET', `/v1/jobs/${'x'.repeat(2_000)}`, tenant.key, 414],
      ['GET', '/v1/jobs/%zz', tenant.key, 400],
    ];
    for (const [method, path, key, status] of calls) {
      const answer = await api.call(method, path, { key, ...(method === 'POST' ? { json: [] } : {}) });
      expect({ method, path: path.slice(0, 40), status: answer.status }).toEqual({
        method,
        path: path.slice(0, 40),
        status,
      });
      const id = answer.headers.get('x-request-id') ?? '';
      expect(id).toMatch(ulid);
      if (status >= 400) expect(answer.body.error.request_id).toBe(id);
      seen.add(id);
    }
    expect(seen.size).toBe(calls.length);
  });

  it('is on the answers to what is no HTTP, too', async () => {
    for (const [bytes, status] of [
      ['NONSENSE\r\n\r\n', 400],
      ['GET /v1/jobs HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
      [`GET /v1/jobs HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ] as const) {
      const answer = told(await talk(bytes));
      expect({ bytes: bytes.slice(0, 40), status: answer.status }).toEqual({
        bytes: bytes.slice(0, 40),
        status,
      });
      expect(answer.requestId).toMatch(ulid);
      expect(answer.code).toBeDefined();
    }
  });

  it('is never what a client sends', async () => {
    const answer = await api.get('/v1/credits', tenant.key, { 'x-request-id': 'MINE' });
    expect(answer.headers.get('x-request-id')).toMatch(ulid);
  });
});

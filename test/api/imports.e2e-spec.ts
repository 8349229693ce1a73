import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { testSigningKey } from '../support/signing-key.js';
import { selfSigned } from '../eventstoredb/self-signed.js';
import { untilEnd } from '../support/until-end.js';
import { fetchPicture } from '../../apps/api/src/uploads/fetched-picture.js';
import { defaultHttpLimits } from '../../apps/api/src/http/request-body.js';
import { complaints, expectError } from './support/api-client.js';
import { openWorld } from './support/world.js';

const patienceMs = 4_000;
const { service, api, tenant } = await openWorld({
  credits: 100,
  configuration: { signingKey: testSigningKey, importNetworks: ['127.0.0.1/32'] },
  limits: { ...defaultHttpLimits, importMs: patienceMs },
});
/** An API that calls the internet alone. */
const strict = await service.openApi(undefined, { signingKey: testSigningKey });

const picture = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#c82828' } })
  .jpeg()
  .toBuffer();
const limit = 25 * 1024 * 1024;

let asked = 0;
let droppedBy = 0;
const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/coat.jpg': (response) => response.end(picture),
  '/elsewhere': (response) => response.writeHead(302, { location: '/coat.jpg' }).end(),
  '/missing': (response) => response.writeHead(404).end('gone'),
  '/page': (response) => response.end('<html>'),
  '/broken.jpg': (response) => response.end(picture.subarray(0, 200)),
  '/cut': (response) => {
    response.writeHead(200, { 'content-length': picture.length });
    response.write(picture.subarray(0, 100), () => response.destroy());
  },
  '/declared': (response) => response.writeHead(200, { 'content-length': limit + 1 }).flushHeaders(),
  '/endless': (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(256 * 1024)));
    };
    response.on('drain', more);
    more();
  },
  '/compressed': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('a'),
  '/headers': (response) => response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end(picture),
  '/drip': (response) => {
    const timer = setInterval(() => response.write('a'), 20);
    response.once('close', () => {
      clearInterval(timer);
      droppedBy += 1;
    });
  },
};

const { privateKey: key, certificate: cert } = selfSigned();
const trusted = getCACertificates('default');
setDefaultCACertificates([...trusted, cert]);
const server = createTlsServer({ key, cert }, (request, response) => {
  asked += 1;
  pages[request.url ?? '']?.(response);
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
untilEnd({
  [Symbol.asyncDispose]: async () => {
    setDefaultCACertificates(trusted);
    server.closeAllConnections();
    server.close();
  },
});
const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

const take = (url: string, more: object = {}) => api.post('/v1/uploads/import', tenant.key, { url, ...more });

describe('POST /v1/uploads/import', () => {
  it('keeps the picture as an upload does, with its person, and charges nothing', async () => {
    const answer = await take(`${origin}/coat.jpg`, { data_subject: 'anna', retain_days: 3 });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-consistency-token')).not.toBeNull();
    expect(answer.body.data_subjects).toEqual(['anna']);
    const found = await fetch(answer.body.image_url as string);
    expect(await sharp(await found.arrayBuffer()).metadata()).toMatchObject({ format: 'jpeg', width: 40 });
    const again = await api.get(`/v1/uploads/${answer.body.asset_id}`, tenant.key);
    expect(again.body.upload_key).toBe(answer.body.upload_key);
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(100);
  });

  it.each([
    ['/elsewhere', 'redirects to another address (302)'],
    ['/missing', 'answered with 404'],
    ['/compressed', 'compressed'],
    ['/cut', 'ECONNRESET'],
    ['/headers', 'HPE_HEADER_OVERFLOW'],
    ['/drip', `within ${patienceMs} ms`],
  ])('says what the server did at %s', async (path, words) => {
    const answer = await take(`${origin}${path}`);
    expectError(answer, 422, 'IMPORT_FAILED');
    expect(answer.body.error.message).toContain(words);
  });

  it('has the limits of an upload', async () => {
    expectError(await take(`${origin}/declared`), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await take(`${origin}/endless`), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await take(`${origin}/page`), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const broken = await take(`${origin}/broken.jpg`);
    expectError(broken, 422, 'VALIDATION_ERROR');
    expect(complaints(broken)[0]).toContain('url');
  });

  it.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://169.254.169.254',
    'https://10.1.2.3',
  ])('does not call %s', async (host) => {
    const before = asked;
    const url = `${host}:${new URL(origin).port}/coat.jpg`;
    const answer = await strict.post('/v1/uploads/import', tenant.key, { url });
    expectError(answer, 422, 'IMPORT_REFUSED');
    expect(asked).toBe(before);
  });

  it.each([
    'http://127.0.0.1/a',
    'file:///etc/passwd',
    'https://a:b@127.0.0.1/a',
    'https://127.0.0.1/#a',
    'no',
  ])('takes no %s', async (url) => expectError(await take(url), 422, 'VALIDATION_ERROR'));

  it('trusts no certificate of another name, and speaks to no server without TLS', async () => {
    const plain = createServer((_request, response) => response.end(picture));
    await new Promise<void>((listening) => plain.listen(0, '127.0.0.1', listening));
    const { port } = plain.address() as AddressInfo;
    expectError(await take(`https://127.0.0.1:${port}/coat.jpg`), 422, 'IMPORT_FAILED');
    plain.close();
    setDefaultCACertificates(trusted);
    expectError(await take(`${origin}/coat.jpg`), 422, 'IMPORT_FAILED');
    setDefaultCACertificates([...trusted, cert]);
  });

  it('looks a name up once, and calls the address that was checked', async () => {
    const addresses = ['127.0.0.1', '10.0.0.1'];
    const name = `https://localhost:${new URL(origin).port}/coat.jpg`;
    const limits = {
      allowedNetworks: ['127.0.0.1/32'],
      timeoutMs: 5_000,
      left: new AbortController().signal,
      resolve: () => Promise.resolve([addresses.shift()!]),
    };
    {
      await using file = await fetchPicture(name, limits);
      expect(await readFile(file.path)).toEqual(picture);
    }
    await expect(fetchPicture(name, limits)).rejects.toMatchObject({ code: 'IMPORT_REFUSED' });
    expect(addresses).toEqual([]);
  });

  it('lets go of the server when the caller leaves', async () => {
    const before = droppedBy;
    const left = new AbortController();
    const limits = { allowedNetworks: ['127.0.0.1/32'], timeoutMs: 60_000, left: left.signal };
    const taking = fetchPicture(`${origin}/drip`, limits);
    const asking = asked;
    await expect.poll(() => asked).toBe(asking + 1);
    left.abort();
    await expect(taking).rejects.toMatchObject({ code: 'IMPORT_FAILED' });
    await expect.poll(() => droppedBy).toBe(before + 1);
  });

  it('turns away the ninth of a tenant at the same time', async () => {
    const before = droppedBy;
    const many = await Promise.all(Array.from({ length: 9 }, () => take(`${origin}/drip`)));
    expect(many.filter(({ status }) => status === 503)).toHaveLength(1);
    await expect.poll(() => droppedBy).toBe(before + 8);
    expect((await take(`${origin}/coat.jpg`)).status).toBe(201);
  });
});

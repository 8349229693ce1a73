import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ObjectNotFound } from '../object-storage.js';
import { S3Storage, type S3StorageOptions } from './s3-storage.js';

// The vendor's side, faked at the socket: it keeps what is put, and fails when it is told to.
const objects = new Map<string, { bytes: Buffer; type: string | undefined }>();
const seen: { method: string; path: string; authorization: string }[] = [];
let failures = 0;
let server: Server;
let options: S3StorageOptions;
let storage: S3Storage;

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const { pathname: path } = new URL(request.url ?? '', 'http://x');
      const { method = '', headers } = request;
      seen.push({ method, path, authorization: headers.authorization ?? '' });
      const bytes = await buffer(request);
      if (failures-- > 0) return response.writeHead(503).end();
      if (method === 'PUT') {
        objects.set(path, { bytes, type: headers['content-type'] });
        return response.end();
      }
      const found = objects.get(path);
      if (found) return response.end(found.bytes);
      const missing = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>x</Message></Error>';
      return response.writeHead(404, { 'content-type': 'application/xml' }).end(missing);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  options = {
    bucket: 'pictures',
    region: 'eu-central-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicEndpoint: undefined,
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    forcePathStyle: true,
  };
  storage = new S3Storage(options);
});
afterAll(async () => {
  storage.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

describe('S3 storage', () => {
  it('puts an object under its key with its type, and gets it back', async () => {
    await storage.put('live/t/uploads/a.png', Buffer.from('bytes'), 'image/png');
    expect(objects.get('/pictures/live/t/uploads/a.png')).toEqual({
      bytes: Buffer.from('bytes'),
      type: 'image/png',
    });
    expect((await storage.get('live/t/uploads/a.png')).toString()).toBe('bytes');
    expect(seen[0]?.authorization).toContain('AWS4-HMAC-SHA256');
  });

  it('tries again when the vendor has a moment of weakness', async () => {
    failures = 2;
    await storage.put('live/t/uploads/b.png', Buffer.from('b'), 'image/png');
    expect((await storage.get('live/t/uploads/b.png')).toString()).toBe('b');
  });

  it('says so when there is no such object, and asks for no key that is not ours', async () => {
    await expect(storage.get('live/t/uploads/none.png')).rejects.toThrow(ObjectNotFound);
    const calls = seen.length;
    await expect(storage.get('../x')).rejects.toThrow(ObjectNotFound);
    await expect(storage.put('../x', Buffer.from('x'), 'image/png')).rejects.toThrow(RangeError);
    expect(seen.length).toBe(calls);
  });

  it('presigns a URL that expires, without asking the vendor', async () => {
    const calls = seen.length;
    const url = new URL(await storage.presignGet('live/t/uploads/a.png', 60));
    expect(url.pathname).toBe('/pictures/live/t/uploads/a.png');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
    expect(url.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(seen.length).toBe(calls);
    expect(url.origin).toBe(options.endpoint);
  });

  it('presigns for the public endpoint where there is one, and calls the other itself', async () => {
    await using cleanup = new AsyncDisposableStack();
    const behindProxy = new S3Storage({ ...options, publicEndpoint: 'https://pictures.example' });
    cleanup.defer(() => behindProxy.close());
    await behindProxy.put('live/t/uploads/c.png', Buffer.from('c'), 'image/png');
    expect((await behindProxy.get('live/t/uploads/c.png')).toString()).toBe('c');

    const key = 'live/t/uploads/c.png';
    const [open, closed] = await Promise.all([behindProxy.presignGet(key, 60), storage.presignGet(key, 60)]);
    expect(new URL(open).origin).toBe('https://pictures.example');
    expect(new URL(open).pathname).toBe('/pictures/live/t/uploads/c.png');
    // The host is under the signature, so a URL for one name does not do for the other.
    const signature = (url: string) => new URL(url).searchParams.get('X-Amz-Signature');
    expect(signature(open)).not.toBe(signature(closed));
  });
});

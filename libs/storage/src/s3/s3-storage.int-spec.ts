import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hash } from 'node:crypto';
import { ObjectNotFound } from '../object-storage.js';
import { S3Peer } from '../../../../test/support/s3-peer.js';
import { S3Storage, type S3StorageOptions } from './s3-storage.js';

let peer: S3Peer;
let options: S3StorageOptions;
let storage: S3Storage;

beforeAll(async () => {
  peer = await S3Peer.start();
  ({ options } = peer);
  storage = new S3Storage(options);
});
afterAll(async () => {
  storage.close();
  await peer.stop();
});

describe('S3 storage', () => {
  it('tells the digest of the bytes that are there now', async () => {
    await storage.put('live/t/uploads/d.png', Buffer.from('bytes'), 'image/png');
    expect(await storage.digest('live/t/uploads/d.png')).toBe(hash('sha256', 'bytes'));
    peer.objects.set('/pictures/live/t/uploads/d.png', { bytes: Buffer.from('<html>'), type: 'image/png' });
    expect(await storage.digest('live/t/uploads/d.png')).toBe(hash('sha256', '<html>'));
    await expect(storage.digest('live/t/uploads/none.png')).rejects.toThrow(ObjectNotFound);
  });

  it('puts an object under its key with its type, and gets it back', async () => {
    await storage.put('live/t/uploads/a.png', Buffer.from('bytes'), 'image/png');
    expect(peer.objects.get('/pictures/live/t/uploads/a.png')).toEqual({
      bytes: Buffer.from('bytes'),
      type: 'image/png',
    });
    expect((await storage.get('live/t/uploads/a.png')).toString()).toBe('bytes');
    expect(peer.seen[0]?.authorization).toContain('AWS4-HMAC-SHA256');
  });

  it('removes an object, and one that is not there as well', async () => {
    await storage.put('live/t/uploads/gone.png', Buffer.from('bytes'), 'image/png');
    for (let time = 0; time < 2; time++) await storage.remove('live/t/uploads/gone.png');
    await expect(storage.get('live/t/uploads/gone.png')).rejects.toThrow(ObjectNotFound);
  });

  it('erases an object with every version of it, and leaves its neighbours', async () => {
    peer.versions = new Map();
    const keys = ['live/t/renders/J1/a.png', 'live/t/renders/J1/calls/x.0', 'live/t/renders/J2/a.png'];
    for (const key of keys) await storage.put(key, Buffer.from('bytes'), 'image/png');
    await storage.put('live/t/renders/J1/a.png', Buffer.from('again'), 'image/png');
    await storage.remove('live/t/renders/J1/calls/x.0');
    expect(await storage.erase('live/t/renders/J1/')).toBe(4);
    expect([...peer.versions].filter(([, versions]) => versions.length > 0).map(([path]) => path)).toEqual([
      '/pictures/live/t/renders/J2/a.png',
    ]);
    expect(await storage.erase('live/t/renders/J1/')).toBe(0);
    peer.versions = undefined;
  });

  it('erases where the server has no versions, and lists every page', async () => {
    for (const name of ['a', 'b', 'c'])
      await storage.put(`live/t/kept/K/${name}`, Buffer.from('x'), 'image/png');
    expect((await storage.list('live/t/kept/')).sort()).toEqual(
      ['a', 'b', 'c'].map((name) => `live/t/kept/K/${name}`),
    );
    expect(await storage.erase('live/t/kept/K/b')).toBe(1);
    expect(await storage.erase('live/t/kept/K/')).toBe(2);
    expect(await storage.list('live/t/kept/')).toEqual([]);
    await expect(storage.erase('live/t/')).rejects.toThrow(RangeError);
  });

  it('tries again when the vendor has a moment of weakness', async () => {
    peer.failures = 2;
    await storage.put('live/t/uploads/b.png', Buffer.from('b'), 'image/png');
    expect((await storage.get('live/t/uploads/b.png')).toString()).toBe('b');
  });

  it('says so when there is no such object, and asks for no key that is not ours', async () => {
    await expect(storage.get('live/t/uploads/none.png')).rejects.toThrow(ObjectNotFound);
    const calls = peer.seen.length;
    await expect(storage.get('../x')).rejects.toThrow(ObjectNotFound);
    await expect(storage.put('../x', Buffer.from('x'), 'image/png')).rejects.toThrow(RangeError);
    expect(peer.seen.length).toBe(calls);
  });

  it('presigns a URL that expires, without asking the vendor', async () => {
    const calls = peer.seen.length;
    const url = new URL(await storage.presignGet('live/t/uploads/a.png', 60));
    expect(url.pathname).toBe('/pictures/live/t/uploads/a.png');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
    expect(url.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(peer.seen.length).toBe(calls);
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

  it('gives a form that stores one file under its key, and nothing else', async () => {
    const key = 'incoming/live/t/one';
    const at = new Date();
    const terms = { contentType: 'image/png', mostBytes: 5, at, expiresAt: new Date(at.getTime() + 60_000) };
    const { url, fields } = await storage.presignPost(key, terms);
    expect(url).toBe(`${options.endpoint}/pictures`);
    const send = async (bytes: string, changed: Record<string, string> = {}) => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ ...fields, ...changed })) form.append(name, value);
      form.append('file', new Blob([bytes]), 'a.png');
      return (await fetch(url, { method: 'POST', body: form })).status;
    };
    expect(await send('bytes')).toBe(204);
    const text = await storage.stream(key, async (bytes) => {
      let all = '';
      for await (const chunk of bytes) all += Buffer.from(chunk).toString();
      return all;
    });
    expect(text).toBe('bytes');
    expect(peer.objects.get(`/pictures/${key}`)?.type).toBe('image/png');
    expect([await send(''), await send('bytes.')]).toEqual([400, 400]);
    for (const changed of [
      { key: 'live/t/uploads/a.png' },
      { 'Content-Type': 'text/html' },
      { 'x-amz-meta-more': 'x' },
      { 'x-amz-signature': '0'.repeat(64) },
      { policy: Buffer.from('{"expiration":"2100-01-01T00:00:00Z","conditions":[]}').toString('base64') },
    ])
      expect(await send('bytes', changed)).toBe(403);
  });

  it('gives the address of the bucket, in the path or in the name, at the public endpoint', async () => {
    const at = new Date();
    const terms = { contentType: 'image/png', mostBytes: 5, at, expiresAt: at };
    const urlFor = async (more: Partial<S3StorageOptions>) => {
      const other = new S3Storage({ ...options, ...more });
      const { url } = await other.presignPost('incoming/live/t/one', terms);
      other.close();
      return url;
    };
    expect(await urlFor({ publicEndpoint: 'https://pictures.example' })).toBe(
      'https://pictures.example/pictures',
    );
    expect(await urlFor({ endpoint: undefined, forcePathStyle: false })).toBe(
      'https://pictures.s3.eu-central-1.amazonaws.com/',
    );
  });
});

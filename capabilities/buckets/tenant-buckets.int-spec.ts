import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3Peer } from '../../test/support/s3-peer.js';
import { sealSecret } from './bucket-secret.js';
import { failureOf, TenantBuckets } from './tenant-buckets.js';

const signingKey = 'k'.repeat(40);
const [environment, tenant] = ['test', 'shop'] as const;
const limits = { environment, tenant, signal: new AbortController().signal };

let peer: S3Peer;
beforeAll(async () => {
  peer = await S3Peer.start();
});
afterAll(() => peer.stop());

/** @param addresses that the name leads to at each look, the last one from then on */
function bucketsAt(allowedNetworks: string[], ...addresses: string[]) {
  const asked: string[] = [];
  const resolve = (name: string) => {
    asked.push(name);
    return Promise.resolve([addresses[Math.min(asked.length, addresses.length) - 1]!]);
  };
  const settings = { allowedNetworks, allowHttp: true, timeoutMs: 2_000 };
  return {
    asked,
    buckets: new TenantBuckets({ signingKey, acceptedSigningKeys: [], buckets: settings }, resolve),
  };
}

function shop(sealedWith = signingKey) {
  const { port } = new URL(peer.options.endpoint ?? '');
  const place = { endpoint: `http://s3.shop.example:${port}`, bucket: 'pictures', accessKeyId: 'id' };
  return {
    ...place,
    region: 'eu-central-1',
    prefix: '',
    forcePathStyle: false,
    connectedAt: '2026-06-01T12:00:00.000Z',
    changedAt: '2026-06-01T12:00:00.000Z',
    sealedSecret: sealSecret(sealedWith, environment, tenant, place, 'secret'),
  };
}

describe('a call of a bucket', () => {
  it('looks the name of the bucket up once, and goes to the address that was checked', async () => {
    const { asked, buckets } = bucketsAt(['127.0.0.1/32'], '127.0.0.1', '10.0.0.1');
    using opened = await buckets.open(shop(), limits);
    await opened.put('a b.png', 'bytes', 'image/png');
    expect(asked).toEqual(['pictures.s3.shop.example']);
    expect(peer.objects.get('/a%20b.png')?.bytes.toString()).toBe('bytes');
  });

  it('is not made when the name leads into our own network by now', async () => {
    const { buckets } = bucketsAt([], '93.184.216.34', '127.0.0.1');
    const { endpoint } = shop();
    expect(await buckets.complaintAbout(environment, endpoint)).toBeUndefined();
    const calls = peer.seen.length;
    using opened = await buckets.open(shop(), limits);
    const failure = await failureOf(() => opened.remove('x'));
    expect(failure).toMatchObject({ statusCode: null, mayPass: false });
    expect(failure?.message).toContain('a network that this service does not call');
    expect(peer.seen).toHaveLength(calls);
  });

  it('needs the key that has encrypted the secret, for this tenant and place', async () => {
    const { buckets } = bucketsAt(['127.0.0.1/32'], '127.0.0.1');
    const unreadable = { message: expect.stringContaining('connect the bucket again'), mayPass: false };
    for (const [bucket, of] of [
      [shop('x'.repeat(40)), tenant],
      [{ ...shop(), endpoint: 'https://s3.thief.example' }, tenant],
      [{ ...shop(), bucket: 'thief' }, tenant],
      [shop(), 'thief'],
    ] as const)
      expect(await failureOf(() => buckets.open(bucket, { ...limits, tenant: of }))).toMatchObject(
        unreadable,
      );
  });
});

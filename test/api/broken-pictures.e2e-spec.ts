import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { StorageConfiguration } from '#platform/configuration.js';
import { S3Peer } from '../support/s3-peer.js';
import { expectError, type ApiClient } from './support/api-client.js';
import { openWorld } from './support/world.js';
import { verbsOn } from '../cli/support/verbs.js';

const { service, tenant } = await openWorld({ projector: false });
const { run } = verbsOn(service, { ATELIER_OPERATOR: 'ada' });
const bucket = await S3Peer.start();
afterAll(() => bucket.stop());

async function upload(api: ApiClient, background: string) {
  const picture = sharp({ create: { width: 40, height: 20, channels: 3, background } });
  const { body } = await api.upload(tenant.key, await picture.png().toBuffer());
  const { upload_key: key, image_url: url, asset_id: id, thumbnails } = body;
  return { key, url, id, thumbnail: thumbnails[256] } as Record<'key' | 'url' | 'id' | 'thumbnail', string>;
}

interface AuditedObjects {
  readonly checked: number;
  readonly broken: { readonly storage_key: string; readonly state: string; readonly found: string | null }[];
}

/** Audits this tenant's environment only: the previews of the presets are not stored here. */
async function auditObjects(more: Record<string, string> = {}) {
  const args = ['objects', 'audit', '--env', tenant.environment, '--json'];
  const { code, stdout } = await run(args, more);
  const { checked, broken } = JSON.parse(stdout) as AuditedObjects;
  expect(code).toBe(1);
  expect(checked).toBeGreaterThan(broken.length);
  return broken.filter(({ storage_key: key }) => key.includes(tenant.id));
}

const html = Buffer.from('<html><script>alert(1)</script></html>');

describe('a picture in a folder', () => {
  it('is served as it was stored, and is 410 when its bytes are others or gone', async () => {
    const api = await service.openApi();
    const [whole, replaced, deleted] = [
      await upload(api, '#102030'),
      await upload(api, '#203040'),
      await upload(api, '#304050'),
    ];
    const path = (key: string) => join(service.folder, 'objects', key);
    await writeFile(path(replaced.key), html);
    await unlink(path(deleted.key));
    for (const { url, thumbnail } of [replaced, deleted]) {
      expectError(await api.get(url), 410, 'PICTURE_GONE');
      expectError(await api.get(thumbnail), 410, 'PICTURE_GONE');
    }
    const served = await fetch(whole.url);
    expect(served.status).toBe(200);
    expect((await sharp(Buffer.from(await served.arrayBuffer())).metadata()).width).toBe(40);

    expect(await auditObjects()).toEqual([
      expect.objectContaining({ storage_key: replaced.key, state: 'altered' }),
      expect.objectContaining({ storage_key: deleted.key, state: 'missing', found: null }),
    ]);

    // A missing picture can be accepted as lost, and is then reported with the operator who accepted it. An
    // altered one cannot.
    const accept = ({ id }: { id: string }) =>
      run(['objects', 'accept-loss', id, '--env', 'live', '--reason', 'removed by hand']);
    expect((await accept(replaced)).stderr).toContain('nothing is lost');
    expect((await accept({ id: tenant.id })).stderr).toContain('there is no picture');
    expect((await accept(deleted)).code).toBe(0);
    expect(await auditObjects()).toEqual([expect.objectContaining({ storage_key: replaced.key })]);
  });

  it('says of an upload what is true now, also when it was whole a moment ago', async () => {
    const api = await service.openApi();
    const one = await upload(api, '#708090');
    const path = join(service.folder, 'objects', one.key);
    expect((await api.get(one.url)).status).toBe(200);
    expect((await api.get(`/v1/uploads/${one.id}`, tenant.key)).status).toBe(200);
    const bytes = await readFile(path);
    await unlink(path);
    expectError(await api.get(`/v1/uploads/${one.id}`, tenant.key), 410, 'PICTURE_GONE');
    await writeFile(path, bytes);
    expect((await api.get(`/v1/uploads/${one.id}`, tenant.key)).status).toBe(200);
  });
});

describe('a picture in a bucket', () => {
  it('has a URL of the bucket while it is whole, and one that is 410 when it is not', async () => {
    const storage: StorageConfiguration = { kind: 's3', ...bucket.options };
    const open = () => service.openApi(undefined, { storage });
    const uploading = await open();
    const [whole, replaced, deleted] = [
      await upload(uploading, '#405060'),
      await upload(uploading, '#506070'),
      await upload(uploading, '#607080'),
    ];
    for (const { url } of [whole, replaced]) expect(url).toContain(bucket.options.endpoint);
    bucket.objects.set(`/pictures/${replaced.key}`, { bytes: html, type: 'image/png' });
    bucket.objects.delete(`/pictures/${deleted.key}`);

    expect((await fetch(whole.thumbnail)).headers.get('content-type')).toBe('image/webp');
    for (const { thumbnail } of [replaced, deleted])
      expectError(await uploading.get(thumbnail), 410, 'PICTURE_GONE');

    const api = await open();
    const urlOf = async ({ id }: { id: string }) => {
      const body = { title: 'A coat', upload_asset_public_id: id };
      const { status, body: product } = await api.post('/v1/products', tenant.key, body);
      expect({ status, product }).toMatchObject({ status: 201 });
      return (product as { images: { image_url: string }[] }).images[0]!.image_url;
    };
    expect((await fetch(await urlOf(whole))).status).toBe(200);
    for (const broken of [replaced, deleted])
      expectError(await api.get(await urlOf(broken)), 410, 'PICTURE_GONE');

    const s3 = {
      S3_BUCKET: 'pictures',
      S3_ENDPOINT: bucket.options.endpoint!,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    };
    const inBucket = await auditObjects(s3);
    const states = new Map(inBucket.map(({ storage_key: key, state }) => [key, state]));
    expect(states.get(whole.key)).toBeUndefined();
    expect(states.get(replaced.key)).toBe('altered');
    expect(states.get(deleted.key)).toBe('missing');
  });
});

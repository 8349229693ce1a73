import { describe, expect, it } from 'vitest';
import { connect } from 'node:net';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync, crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { eventually } from '../support/eventually.js';
import { aPictureWithStore, makePictures } from './support/made-pictures.js';
import { complaints, expectError } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ credits: 100 });

function picture(width = 40, height = 20, alpha = 1): Sharp {
  const background = { r: 200, g: 40, b: 40, alpha };
  return sharp({ create: { width, height, channels: alpha < 1 ? 4 : 3, background } });
}

async function fetchPicture(url: string): Promise<{ bytes: Buffer; headers: Headers }> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}

describe('GET /v1/uploads/{public_id}', () => {
  it('gives URLs that are good again, of an upload of the caller’s own and of nothing else', async () => {
    const { body } = await api.upload(tenant.key, await picture().png().toBuffer());
    const again = await api.get(`/v1/uploads/${body.asset_id}`, tenant.key);
    const { upload_key, asset_id } = body;
    expect(again.body).toMatchObject({ upload_key, asset_id });
    await fetchPicture(again.body.image_url as string);
    const stranger = await service.openTenant({ credits: 10 });
    const foreign = await api.get(`/v1/uploads/${asset_id}`, stranger.key);
    expectError(foreign, 404, 'RESOURCE_NOT_FOUND');
    const { artifacts } = await makePictures(api, service, stranger, { kind: 'background' });
    const render = await api.get(`/v1/uploads/${artifacts[0]!.assetId}`, stranger.key);
    expectError(render, 404, 'RESOURCE_NOT_FOUND');
  });
});

describe('GET /v1/uploads', () => {
  it('lists the caller’s own uploads, newest first, with what was stored', async () => {
    const owner = await service.openTenant({ credits: 10 });
    const bytes = await picture(60, 30).png().toBuffer();
    const form = new FormData();
    form.append('retain_days', '30');
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'p.png');
    const first = (await api.call('POST', '/v1/uploads', { key: owner.key, body: form })).body;
    const second = (await api.upload(owner.key, bytes)).body;
    await makePictures(api, service, owner, { kind: 'background' });
    const { items, total } = (await api.get('/v1/uploads', owner.key)).body;
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { asset_id: second.asset_id, retain_days: null },
      {
        asset_id: first.asset_id,
        upload_key: first.upload_key,
        content_type: 'image/png',
        width: 60,
        height: 30,
        retain_days: 30,
      },
    ]);
    const shown = await fetchPicture(items[0].image_url as string);
    expect(shown.bytes).toHaveLength(items[0].size_bytes as number);
    const page = (await api.get('/v1/uploads?limit=1&offset=1', owner.key)).body;
    expect(page).toMatchObject({ items: [{ asset_id: first.asset_id }], total: 2, limit: 1, offset: 1 });
    const stranger = await service.openTenant({ credits: 10 });
    expect((await api.get('/v1/uploads', stranger.key)).body).toMatchObject({ items: [], total: 0 });
  });
});

describe('a thumbnail', () => {
  it('is the picture in a smaller size, never enlarged, with its transparency', async () => {
    const { body } = await api.upload(tenant.key, await picture(600, 300, 0.5).png().toBuffer());
    const sizes: unknown[] = [];
    for (const [width, url] of Object.entries<string>(body.thumbnails)) {
      const { bytes, headers } = await fetchPicture(url);
      expect(headers.get('content-type')).toBe('image/webp');
      expect(headers.get('cache-control')).toContain('immutable');
      const found = await sharp(bytes).metadata();
      sizes.push([width, found.format, found.width, found.height, found.hasAlpha]);
    }
    expect(sizes).toEqual([
      ['256', 'webp', 256, 128, true],
      ['512', 'webp', 512, 256, true],
      ['1024', 'webp', 600, 300, true],
    ]);
  });

  it('has a URL for that size of that picture alone, until it expires', async () => {
    const { body } = await api.upload(tenant.key, await picture().png().toBuffer());
    const other = await api.upload(tenant.key, await picture().png().toBuffer());
    const url = new URL(body.thumbnails[256] as string);
    const changed = (path: string, search = url.search) => api.get(`${url.origin}${path}${search}`);
    const wrong = [
      await changed(url.pathname.replace('/256/', '/512/')),
      await changed(url.pathname.replace('/256/', '/2000/')),
      await changed(url.pathname.replace(body.asset_id as string, other.body.asset_id as string)),
      await changed(`/objects/${body.upload_key}`),
      await changed(url.pathname, url.search.replace(/expires=\d+/, 'expires=9999999999')),
      await changed(url.pathname, ''),
    ];
    for (const answer of wrong) expectError(answer, 404, 'RESOURCE_NOT_FOUND');
    expect((await changed(url.pathname)).status).toBe(200);
  });

  it('of what a job made stands in the list of jobs', async () => {
    const owner = await service.openTenant({ credits: 10 });
    const { jobId } = await makePictures(api, service, owner, { kind: 'background' });
    await eventually(async () => {
      const [job] = (await api.get('/v1/jobs', owner.key)).body.jobs;
      expect(job).toMatchObject({
        public_id: jobId,
        thumbnail_url: expect.stringContaining('/thumbnails/256/'),
      });
      await fetchPicture(job.thumbnail_url as string);
    });
  });

  it('is made for many who ask at the same time', async () => {
    const { body } = await api.upload(tenant.key, await picture(800, 800).png().toBuffer());
    const all = Array.from({ length: 40 }, () => fetchPicture(body.thumbnails[256] as string));
    const sizes = (await Promise.all(all)).map(({ bytes }) => bytes.length);
    expect(new Set(sizes).size).toBe(1);
  });
});

describe('POST /v1/uploads', () => {
  it.each([
    ['jpeg', 'image/jpeg', 'jpg'],
    ['png', 'image/png', 'png'],
    ['webp', 'image/webp', 'webp'],
  ] as const)(
    'keeps a %s as such, whatever it is called, and gives it back',
    async (format, type, extension) => {
      const answer = await api.upload(tenant.key, await picture().toFormat(format).toBuffer(), 'notes.txt');
      expect(answer.status).toBe(201);
      const { upload_key: key, image_url: url, asset_id: id } = answer.body;
      expect(key).toBe(`live/${tenant.id}/uploads/${id}.${extension}`);
      expect(answer.headers.get('x-consistency-token')).not.toBeNull();
      const { bytes, headers } = await fetchPicture(url as string);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toContain('immutable');
      expect(await sharp(bytes).metadata()).toMatchObject({ format, width: 40, height: 20 });
      expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(100);
    },
  );

  it('turns the picture upright and forgets where it was taken', async () => {
    const exif = {
      IFD0: { Copyright: 'Secret Studio' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '1/1 2/1 3/1' },
    };
    const bytes = await picture(40, 20).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(bytes.includes('Secret Studio')).toBe(true);
    const { body } = await api.upload(tenant.key, bytes);
    const kept = await fetchPicture(body.image_url as string);
    const metadata = await sharp(kept.bytes).metadata();
    expect(metadata).toMatchObject({ width: 20, height: 40 });
    expect({ exif: metadata.exif, orientation: metadata.orientation, icc: metadata.icc }).toEqual({});
    expect(kept.bytes.includes('Secret Studio')).toBe(false);
  });

  it('keeps transparency', async () => {
    for (const format of ['png', 'webp'] as const) {
      const { body } = await api.upload(tenant.key, await picture(8, 8, 0.5).toFormat(format).toBuffer());
      const { bytes } = await fetchPicture(body.image_url as string);
      expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
    }
  });

  it('keeps the first frame of an animation', async () => {
    const frames = [picture(8, 8), picture(8, 8)].map((frame) => frame.png().toBuffer());
    const animated = await sharp(await Promise.all(frames), { join: { animated: true } })
      .webp()
      .toBuffer();
    const { body } = await api.upload(tenant.key, animated);
    const { bytes } = await fetchPicture(body.image_url as string);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 8, height: 8 });
    expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1);
  });

  it('can be dispatched with at once, by its key and by its id', async () => {
    const { body } = await api.upload(tenant.key, await picture().png().toBuffer());
    const answer = await api.post('/v1/product-to-model-direct', tenant.key, {
      product_image_s3_key: body.upload_key,
      background_image_public_id: body.asset_id,
    });
    expect(answer.status).toBe(202);
  });

  it.each([
    ['text', () => Promise.resolve(Buffer.from('this is not a picture'))],
    ['nothing', () => Promise.resolve(Buffer.alloc(0))],
    [
      'SVG',
      () => Promise.resolve(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')),
    ],
    ['GIF', () => picture().gif().toBuffer()],
    ['TIFF', () => picture().tiff().toBuffer()],
    ['AVIF', () => picture().avif({ effort: 0 }).toBuffer()],
    ['PDF', () => Promise.resolve(Buffer.from('%PDF-1.7\n%%EOF'))],
  ])('refuses %s that is called .jpg', async (_what, make) => {
    expectError(await api.upload(tenant.key, await make(), 'photo.jpg'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['jpeg', 'png', 'webp'] as const)(
    'refuses a %s that is cut off, wherever it is',
    async (format) => {
      const noise = await sharp({
        create: {
          width: 64,
          height: 64,
          channels: 3,
          background: '#888',
          noise: { type: 'gaussian', mean: 128, sigma: 60 },
        },
      })
        .toFormat(format)
        .toBuffer();
      for (const share of [0.02, 0.1, 0.5, 0.9, 0.98]) {
        const answer = await api.upload(
          tenant.key,
          noise.subarray(0, Math.max(16, Math.floor(noise.length * share))),
        );
        expectError(answer, 422, 'VALIDATION_ERROR');
        expect(complaints(answer)).toEqual(['body.file']);
      }
    },
  );

  it('refuses a picture that is small as a file and huge as a picture', async () => {
    const startedAt = performance.now();
    for (const bomb of [pngOf(30_000, 30_000), pngOf(65_535, 65_535), pngOf(16_000, 12_501)]) {
      const answer = await api.upload(tenant.key, bomb);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain('megapixels');
    }
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('refuses a picture whose rows are too long to be held, however few they are', async () => {
    for (const [width, height] of [
      [1_600_000, 120],
      [32_769, 64],
      [64, 32_769],
    ] as const) {
      const answer = await api.upload(tenant.key, pngOf(width, height));
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain('a side of more than 32768 pixels');
    }
    const wide = await sharp({ create: { width: 32_768, height: 64, channels: 3, background: '#a86' } })
      .png()
      .toBuffer();
    expect((await api.upload(tenant.key, wide)).status).toBe(201);
  });

  it('scales a picture of more than 50 megapixels down, unless the file has to be in memory as a whole', async () => {
    const large = (progressive: boolean) =>
      sharp({ create: { width: 9_000, height: 6_000, channels: 3, background: '#a86' } })
        .jpeg({ progressive })
        .toBuffer();
    const { body } = await api.upload(tenant.key, await large(false));
    const kept = await sharp(Buffer.from(await (await fetch(body.image_url)).arrayBuffer())).metadata();
    expect({ width: kept.width, height: kept.height }).toEqual({ width: 8_660, height: 5_773 });
    const answer = await api.upload(tenant.key, await large(true));
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(answer.body.error.message).toContain('not progressive');
  });

  it('takes 25 MiB, and not a byte more', async () => {
    const limit = 25 * 1024 * 1024;
    expectError(await api.upload(tenant.key, Buffer.alloc(limit + 1, 0xff)), 413, 'PAYLOAD_TOO_LARGE');
    // A PNG may carry any bytes after its end. The size of the body counts first, then the number of pixels.
    const plain = await picture().png().toBuffer();
    const filled = Buffer.concat([plain, Buffer.alloc(limit - plain.length)]);
    expect((await api.upload(tenant.key, filled)).status).toBe(201);
  });

  it('takes exactly one field, and it is file', async () => {
    const bytes = await picture().png().toBuffer();
    const blob = new Blob([bytes]);
    const forms: Record<string, (form: FormData) => void> = {
      empty: () => undefined,
      'another name': (form) => form.append('picture', blob, 'a.png'),
      'file as text': (form) => form.append('file', 'text'),
      'two files': (form) => {
        form.append('file', blob, 'a.png');
        form.append('file', blob, 'b.png');
      },
      'a field beside it': (form) => {
        form.append('file', blob, 'a.png');
        form.append('tenant', 'x');
      },
      'a field before it': (form) => {
        form.append('__proto__', 'x');
        form.append('file', blob, 'a.png');
      },
    };
    for (const [name, fill] of Object.entries(forms)) {
      const form = new FormData();
      fill(form);
      const { status, body } = await api.call('POST', '/v1/uploads', { key: tenant.key, body: form });
      expect({ name, status, code: body.error?.code }).toEqual({
        name,
        status: 422,
        code: 'VALIDATION_ERROR',
      });
    }
  });

  it.each(['/v1/uploads', '/v1/uploads/import'])(
    'refuses a field in the URL of %s, which has no effect there',
    async (path) => {
      const sent = { key: tenant.key, body: new FormData() };
      const refused = await api.call('POST', `${path}?data_subject=anna`, sent);
      expectError(refused, 422, 'VALIDATION_ERROR');
      expect(complaints(refused)).toEqual(['query.data_subject']);
    },
  );

  it('takes multipart only, and only when it is whole', async () => {
    const post = (type: string, body: string) =>
      api.call('POST', '/v1/uploads', { key: tenant.key, body, headers: { 'content-type': type } });
    expectError(await post('application/json', '{}'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectError(await post('image/png', 'x'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectError(await post('multipart/form-data', 'x'), 422, 'VALIDATION_ERROR');
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc';
    expectError(await post('multipart/form-data; boundary=b', part), 422, 'VALIDATION_ERROR');
    expectError(await post('multipart/form-data; boundary=b', ''), 422, 'VALIDATION_ERROR');
  });

  it('leaves nothing behind when the client goes away', async () => {
    const before = await leftovers();
    const head =
      `POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.key}\r\nContent-Length: 1000000\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n' +
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(head + 'x'.repeat(100_000));
    for (let tries = 0; (await leftovers()).length === before.length && tries < 100; tries++) await sleep(10);
    socket.destroy();
    for (let tries = 0; (await leftovers()).length > before.length; tries++) {
      expect(tries).toBeLessThan(200);
      await sleep(20);
    }
  });

  it('answers others while it decodes', async () => {
    const large = await picture(7_000, 7_000).png({ compressionLevel: 1 }).toBuffer();
    let longest = 0;
    const begun = performance.now();
    const uploads = Promise.all(Array.from({ length: 3 }, () => api.upload(tenant.key, large)));
    let running = true;
    void uploads.finally(() => (running = false));
    while (running) {
      const startedAt = performance.now();
      await api.get('/health/live');
      longest = Math.max(longest, performance.now() - startedAt);
    }
    expect((await uploads).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(longest).toBeLessThan(Math.max(1_000, (performance.now() - begun) / 4));
  });
});

describe('the URL of a picture', () => {
  it('opens that picture only, and only until it expires', async () => {
    const { body } = await api.upload(tenant.key, await picture().png().toBuffer());
    const other = await api.upload(tenant.key, await picture().png().toBuffer());
    const url = new URL(body.image_url as string);
    const change = (edit: (url: URL) => void) => {
      const copy = new URL(url);
      edit(copy);
      return copy.href;
    };
    const foreign = new URL(other.body.image_url as string);
    const words = new Set<string>();
    for (const wrong of [
      change(({ searchParams }) => searchParams.set('expires', '1')),
      change(({ searchParams }) => searchParams.set('expires', '99999999999')),
      change(({ searchParams }) => searchParams.set('signature', '')),
      change(({ searchParams }) => searchParams.append('signature', 'x')),
      change(({ searchParams }) => searchParams.delete('signature')),
      change(({ searchParams }) => searchParams.delete('expires')),
      change((copy) => (copy.pathname = foreign.pathname)),
      change((copy) => (copy.pathname = '/objects/../../package.json')),
      change((copy) => (copy.pathname = '/objects/..%2f..%2fpackage.json')),
      change((copy) => (copy.pathname = '/objects/live/%00')),
    ]) {
      const answer = await api.get(wrong);
      expectError(answer, 404, 'RESOURCE_NOT_FOUND');
      words.add(answer.body.error.code as string);
    }
    expect(words.size).toBe(1);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-type')).toBe('image/png');
  });
});

async function leftovers(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('atelier-upload-'));
}

/** A PNG of the claimed size. Its pixels compress to almost nothing, and their number is a lie. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('the credentials of an upload', () => {
  it('are kept up to 1 MiB; beyond that the picture alone is', async () => {
    const kept = async (sizeBytes: number) =>
      (await api.upload(tenant.key, await aPictureWithStore(sizeBytes))).body.credentials as object;
    const limit = 1024 * 1024;
    const malformed = { valid: false, problems: ['claim.malformed'] };
    expect(await kept(limit)).toEqual({ ...malformed, kept: true });
    expect(await kept(limit + 1)).toEqual({ ...malformed, kept: false });
  });
});

describe('POST /v1/uploads/batch', () => {
  const png = async (width: number) => new Uint8Array(await picture(width, 20).png().toBuffer());
  const batch = (
    files: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[],
    texts: object = {},
  ) => {
    const form = new FormData();
    for (const [name, bytes] of files) form.append('file', new Blob([bytes], { type: 'image/png' }), name);
    for (const [name, text] of Object.entries(texts)) form.append(name, text as string);
    return api.call('POST', '/v1/uploads/batch', { key: tenant.key, body: form });
  };

  it('stores each picture, in order, with the fields of the request', async () => {
    const files = await Promise.all(
      [41, 42, 43].map(async (width) => [`${width}.png`, await png(width)] as const),
    );
    const { status, body } = await batch(files, { data_subject: 'anna' });
    expect(status).toBe(201);
    const items = body.items as { file_name: string; upload: Record<string, unknown>; error: unknown }[];
    expect(items.map(({ file_name, error }) => [file_name, error])).toEqual(
      files.map(([name]) => [name, null]),
    );
    for (const [index, { upload }] of items.entries()) {
      expect(upload.data_subjects).toEqual(['anna']);
      const { bytes } = await fetchPicture(upload.image_url as string);
      expect((await sharp(bytes).metadata()).width).toBe(41 + index);
    }
    const first = await api.get(`/v1/uploads/${items[0]!.upload.asset_id as string}`, tenant.key);
    expect(first.status).toBe(200);
  });

  it('stores the others when some are refused, and says of each what to do', async () => {
    const huge = new Uint8Array(25 * 1024 * 1024 + 1);
    const { status, body } = await batch([
      ['words.png', new TextEncoder().encode('no picture')],
      ['huge.png', huge],
      ['good.png', await png(44)],
    ]);
    expect(status).toBe(207);
    const items = body.items as {
      file_name: string;
      upload: object | null;
      error: { code: string } | null;
    }[];
    expect(items.map(({ file_name, upload, error }) => [file_name, upload !== null, error?.code])).toEqual([
      ['words.png', false, 'UNSUPPORTED_MEDIA_TYPE'],
      ['huge.png', false, 'PAYLOAD_TOO_LARGE'],
      ['good.png', true, undefined],
    ]);
    for (const { error } of items) if (error) expect(error).toMatchObject({ request_id: expect.any(String) });
  });

  it('stores nothing of a form that is wrong as a whole', async () => {
    const before = (await api.get('/v1/uploads?limit=1', tenant.key)).body.total;
    const good = await png(45);
    const many = await batch(Array.from({ length: 21 }, () => ['p.png', good] as const));
    expectError(many, 422, 'VALIDATION_ERROR');
    expect(many.body.error.message).toMatch(/^file may be sent 20 times only/);
    expectError(await batch([]), 422, 'VALIDATION_ERROR');
    expectError(await batch([['p.png', good]], { retain_days: 'soon' }), 422, 'VALIDATION_ERROR');
    expectError(await batch([['p.png', good]], { person: 'anna' }), 422, 'VALIDATION_ERROR');
    const full = new Uint8Array(25 * 1024 * 1024);
    const heavy = await batch([
      ...Array.from({ length: 4 }, () => ['p.png', full] as const),
      ['p.png', good],
    ]);
    expectError(heavy, 413, 'PAYLOAD_TOO_LARGE');
    expect((await api.get('/v1/uploads?limit=1', tenant.key)).body.total).toBe(before);
  });
});

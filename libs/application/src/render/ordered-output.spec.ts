import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { EngineError, type EnginePicture } from '@atelier/engine';
import type { OutputFormat } from '@atelier/engine/encode';
import { fileAsOrdered, type Finish } from './ordered-output.js';

const [width, height] = [320, 400];
/** Fine noise: no format makes it small without loss. */
const noise = sharp({
  create: {
    width,
    height,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  },
});
const facts = { kind: 'try_on_render' as const, label: 'l', width, height, meta: {} };
const drawn: EnginePicture = { ...facts, bytes: await noise.png().toBuffer(), contentType: 'image/png' };
const credentials = Buffer.alloc(4_000);

/** Adds as many bytes as credentials have, and counts. */
function finisher() {
  const finished: number[] = [];
  const finish: Finish = (bytes) => {
    finished.push(bytes.length + credentials.length);
    return Promise.resolve(Buffer.concat([bytes, credentials]));
  };
  return { finished, finish };
}

const ordered = (format: OutputFormat, maxBytes?: number, picture = drawn, { finish } = finisher()) =>
  fileAsOrdered(picture, 'job-1', { format, maxBytes }, finish);

const lossy = ['jpeg', 'webp', 'avif'] as const;

describe('a picture as its order wants it', () => {
  it.each(['png', ...lossy] as const)('is in %s, with its mark, and says how it was made', async (format) => {
    const { bytes, contentType, encoding } = await ordered(format);
    const { mediaType, xmp, ...size } = await sharp(bytes).metadata();
    expect([mediaType, size.width, size.height]).toEqual([contentType, width, height]);
    expect(contentType).toBe(`image/${format}`);
    expect(String(xmp)).toContain('digitalsourcetype/algorithmicMedia"');
    expect(String(xmp)).toContain('dc:identifier="job-1"');
    const quality = format === 'png' ? null : expect.any(Number);
    const size_bytes = bytes.length;
    expect(encoding).toEqual({ content_type: contentType, size_bytes, quality, scale: 1 });
  });

  it.each(lossy)('in %s has the best quality with which the whole file fits', async (format) => {
    const whole = await ordered(format);
    const room = Math.round(whole.bytes.length * 0.8);
    const counting = finisher();
    const bounded = await ordered(format, room, drawn, counting);
    expect(bounded.bytes.length).toBeLessThanOrEqual(room);
    expect(bounded).toMatchObject({ width, height, encoding: { scale: 1 } });
    expect(bounded.encoding!.quality).toBeLessThan(whole.encoding!.quality!);
    expect(counting.finished.length).toBeLessThanOrEqual(4);
    // Of the tries, it is the largest that fits.
    expect(bounded.bytes.length).toBe(Math.max(...counting.finished.filter((size) => size <= room)));
  });

  it.each(lossy)('in %s gets smaller where the lowest quality is not enough', async (format) => {
    const counting = finisher();
    const { bytes, encoding, ...size } = await ordered(format, 12_000, drawn, counting);
    expect(bytes.length).toBeLessThanOrEqual(12_000);
    expect(encoding!.scale).toBeLessThan(1);
    expect(size.width / size.height).toBeCloseTo(width / height, 1);
    expect(size.width).toBe(Math.round(width * encoding!.scale));
    expect(counting.finished.length).toBeLessThanOrEqual(10);
  });

  it('is not encoded again if the image model has drawn it so', async () => {
    const { bytes, encoding } = await ordered('png');
    const pixels = (picture: Buffer) => sharp(picture).raw().toBuffer();
    expect((await pixels(bytes)).equals(await pixels(drawn.bytes))).toBe(true);
    expect(encoding).toMatchObject({ quality: null, scale: 1 });
    const jpeg = {
      ...drawn,
      bytes: await sharp(drawn.bytes).jpeg().toBuffer(),
      contentType: 'image/jpeg' as const,
    };
    expect((await ordered('jpeg', undefined, jpeg)).encoding!.quality).toBeNull();
    const large = jpeg.bytes.length;
    expect((await ordered('jpeg', large, jpeg)).encoding!.quality).toEqual(expect.any(Number));
  });

  it('keeps its transparency, except in JPEG, where it stands on white', async () => {
    const ground = {
      width: 40,
      height: 30,
      channels: 4,
      background: { r: 200, g: 0, b: 0, alpha: 0 },
    } as const;
    const cutOut = { ...drawn, bytes: await sharp({ create: ground }).png().toBuffer() };
    for (const format of ['webp', 'avif'] as const) {
      const { bytes } = await ordered(format, undefined, cutOut);
      const { channels } = await sharp(bytes).stats();
      expect(channels[3]).toMatchObject({ min: 0, max: 0 });
    }
    const { bytes } = await ordered('jpeg', undefined, cutOut);
    expect([...(await sharp(bytes).raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  it('has no mark if it is a photograph that is shown unchanged', async () => {
    const { bytes } = await ordered('avif', undefined, { ...drawn, digitalSource: null });
    expect((await sharp(bytes).metadata()).xmp).toBeUndefined();
  });

  it('fails, with its credits back, if nothing is small enough', async () => {
    const refused = await ordered('webp', 4_100).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EngineError);
    expect(refused).toMatchObject({ errorClass: 'bad_input', message: expect.stringContaining('refunded') });
  });
});

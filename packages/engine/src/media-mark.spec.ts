import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EnginePicture } from './image-engine.js';
import { withMediaMark } from './media-mark.js';

const noise = sharp({
  create: {
    width: 40,
    height: 30,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma: 30 },
  },
});
const encoded = {
  'image/png': () => noise.clone().png().toBuffer(),
  'image/jpeg': () => noise.clone().jpeg().toBuffer(),
  'image/webp': () => noise.clone().webp({ lossless: true }).toBuffer(),
};
const types = Object.keys(encoded) as EnginePicture['contentType'][];

describe.each(types)('the mark of a generated picture in %s', (contentType) => {
  it('says how it came about and which job made it, and leaves each pixel as it was', async () => {
    const bytes = await encoded[contentType]();
    const facts = { kind: 'try_on_render' as const, label: 'l', width: 40, height: 30, meta: {} };
    const marked = await withMediaMark({ ...facts, bytes, contentType }, 'job-1');
    const { xmp, width, format } = await sharp(marked, { failOn: 'warning' }).metadata();
    expect([width, `image/${format}`]).toEqual([40, contentType]);
    expect(String(xmp)).toContain('digitalsourcetype/algorithmicMedia"');
    expect(String(xmp)).toContain('dc:identifier="job-1"');
    const pixels = (picture: Buffer) => sharp(picture, { failOn: 'warning' }).raw().toBuffer();
    expect((await pixels(marked)).equals(await pixels(bytes))).toBe(true);
    const swapped = { ...facts, bytes, contentType, digitalSource: 'compositeSynthetic' } as const;
    const other = await sharp(await withMediaMark(swapped, 'job-1')).metadata();
    expect(String(other.xmp)).toContain('digitalsourcetype/compositeSynthetic"');
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { jpegSize } from './manage-presets.handler.js';

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#789' } });

describe('the size of a JPEG', () => {
  it.each([false, true])('is what its frame says, progressive: %s', async (progressive) => {
    expect(jpegSize(await blank(31, 17).jpeg({ progressive }).toBuffer())).toEqual({ width: 31, height: 17 });
  });

  it('is found behind metadata', async () => {
    const described = await blank(8, 9)
      .withExif({ IFD0: { Copyright: 'x'.repeat(5_000) } })
      .jpeg()
      .toBuffer();
    expect(jpegSize(described)).toEqual({ width: 8, height: 9 });
    const sample = readFileSync('assets/samples/jumper.jpg');
    const { width, height } = await sharp(sample).metadata();
    expect(jpegSize(sample)).toEqual({ width, height });
  });

  it('is found behind a marker that is padded', async () => {
    const jpeg = await blank(8, 9).jpeg().toBuffer();
    const padded = Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xff, 0xff), jpeg.subarray(2)]);
    expect(jpegSize(padded)).toEqual({ width: 8, height: 9 });
  });

  it('is refused for anything else', async () => {
    const jpeg = await blank(8, 9).jpeg().toBuffer();
    const others = [Buffer.alloc(0), Buffer.from('no picture'), await blank(8, 9).png().toBuffer()];
    for (const bytes of [...others, jpeg.subarray(0, 30)]) expect(() => jpegSize(bytes)).toThrow(RangeError);
  });
});

import { globSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { expect, it } from 'vitest';
import { greyOf, likenessOf, seek } from '../likeness.js';
import { chunksOf, ofChunks } from '../likeness.value.js';

const photographs = globSync('assets/samples/*.jpg').toSorted();
const likeness = async (source: Sharp) => likenessOf((await greyOf(source))!);
const sought = async (bytes: Buffer) => seek((await greyOf(sharp(bytes)))!);

/** A crop takes these parts of the sides away. */
async function cropped(
  file: string,
  [left, top, right, bottom]: readonly [number, number, number, number],
): Promise<Buffer> {
  const { width, height } = await sharp(file).metadata();
  const part = {
    left: Math.round(width * left),
    top: Math.round(height * top),
    width: Math.floor(width * (1 - left - right)),
    height: Math.floor(height * (1 - top - bottom)),
  };
  return sharp(file).extract(part).resize(400).jpeg({ quality: 75 }).toBuffer();
}

it('finds each photograph again after a crop of up to a tenth on each side, scaled and encoded again', async () => {
  for (const file of photographs) {
    const stored = await likeness(sharp(file));
    for (const cut of [
      [0, 0, 0, 0],
      [0.1, 0, 0, 0],
      [0, 0.1, 0.1, 0],
      [0.06, 0.02, 0.09, 0.04],
    ] as const) {
      const { chunks, difference } = await sought(await cropped(file, cut));
      expect(difference(stored), `${file} ${cut.join()}`).toBeLessThanOrEqual(32);
      expect(chunks).toEqual(expect.arrayContaining([expect.any(String)]));
      expect(chunksOf(stored).some((chunk) => chunks.includes(chunk))).toBe(true);
    }
  }
});

it('finds no photograph in another one', async () => {
  const known = await Promise.all(photographs.map((file) => likeness(sharp(file))));
  for (const [index, file] of photographs.entries()) {
    const { difference } = await seek((await greyOf(sharp(file)))!);
    expect(known.map((each) => difference(each) !== undefined)).toEqual(known.map((_, at) => at === index));
  }
});

it('does not find a picture that lost more, or was mirrored', async () => {
  const [file] = photographs;
  const stored = await likeness(sharp(file));
  const { difference } = await sought(await cropped(file!, [0.3, 0, 0, 0]));
  expect(difference(stored)).toBeUndefined();
  expect((await sought(await sharp(file).flop().toBuffer())).difference(stored)).toBeUndefined();
});

it('has no hash of a picture of one colour: all of them would be alike', async () => {
  for (const background of ['#ffffff', '#456789', '#11223300'])
    expect(
      await greyOf(sharp({ create: { width: 40, height: 60, channels: 4, background } })),
    ).toBeUndefined();
});

it('is 256 bits in 16 chunks', async () => {
  const hash = await likeness(sharp(photographs[0]));
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(ofChunks(chunksOf(hash))).toBe(hash);
});

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { classFromWords, classify } from './classify.js';
import { cutOut, type CutOut } from './cut-out.js';
import { Silhouette } from './silhouette.js';

const SAMPLES = new URL('../../../../assets/samples/', import.meta.url);
const sample = (name: string): Promise<Buffer> => readFile(new URL(`${name}.jpg`, SAMPLES));

const PHOTOGRAPHS = new URL('../../../photo/photographs/', import.meta.url);
const photo = (name: string): Promise<Buffer> => readFile(new URL(`${name}.jpg`, PHOTOGRAPHS));

const TEE =
  'M430 300 C470 270 500 262 520 260 C550 320 650 320 680 260 C700 262 730 270 770 300 L960 430 L880 560 L790 500 L800 860 C660 880 540 880 400 860 L410 500 L320 560 L240 430Z';

/** A shirt of one colour and its shadow, on paper of another colour. */
const photograph = (cloth: string, paper: string): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1100"><defs><filter id="b"><feGaussianBlur
      stdDeviation="14"/></filter></defs><rect width="100%" height="100%" fill="${paper}"/><path d="${TEE}"
      transform="translate(8 12)" fill="#555044" fill-opacity=".25" filter="url(#b)"/><path d="${TEE}" fill="${cloth}"/></svg>`),
  )
    .jpeg({ quality: 88 })
    .toBuffer();

const alphaAt = ({ raster }: CutOut, u: number, v: number): number =>
  raster.data[
    (Math.round(v * (raster.height - 1)) * raster.width + Math.round(u * (raster.width - 1))) * 4 + 3
  ] ?? -1;

const solidShare = ({ raster }: CutOut): number => {
  let solid = 0;
  for (let i = 3; i < raster.data.length; i += 4) if ((raster.data[i] ?? 0) > 200) solid++;
  return solid / (raster.width * raster.height);
};

describe('cutOut', () => {
  it.each([
    ['garment-photograph', 'dress', 0.28],
    ['jumper', 'top', 0.3],
    ['trousers', 'trousers', 0.27],
    ['jacket', 'outerwear', 0.33],
  ] as const)('keeps the %s whole and clears its corners', async (name, garmentClass, coverage) => {
    const cut = await cutOut(await sample(name), 1000, 'product_image');
    expect(Math.abs(cut.coverage - coverage)).toBeLessThan(0.05);
    expect(solidShare(cut)).toBeGreaterThan(0.5);
    // Some of these corners are a dress's upper ones, others a jumper's lower ones; all of them are paper.
    const corners = [alphaAt(cut, 0, 0), alphaAt(cut, 1, 0), alphaAt(cut, 0, 1), alphaAt(cut, 1, 1)];
    expect(Math.max(...corners)).toBeLessThan(40);
    expect(classify(new Silhouette(cut.mask), cut.raster)).toBe(garmentClass);
  });

  it.each([
    ['white on off-white', '#fbfaf8', '#ece8e1'],
    ['grey on white', '#b9b9b9', '#f0f0f0'],
    ['black on white', '#191a1d', '#f4f4f2'],
    ['white on black', '#f2f2f0', '#202124'],
  ])('tells a shirt, %s, from its paper and its shadow', async (_, cloth, paper) => {
    const cut = await cutOut(await photograph(cloth, paper), 1000, 'product_image');
    expect(cut.coverage).toBeGreaterThan(0.19);
    expect(cut.coverage).toBeLessThan(0.24);
    expect(alphaAt(cut, 0.5, 0.6)).toBe(255);
    expect(alphaAt(cut, 0.02, 0.98)).toBe(0);
    expect(classify(new Silhouette(cut.mask), cut.raster)).toBe('top');
  });

  it('uses the transparency that a picture brings along', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1100"><path d="${TEE}" fill="#c44"/></svg>`;
    const cut = await cutOut(await sharp(Buffer.from(svg)).png().toBuffer(), 1000, 'product_image');
    expect(alphaAt(cut, 0.5, 0.6)).toBe(255);
    expect(alphaAt(cut, 0.02, 0.98)).toBe(0);
  });

  it.each([
    ['no picture at all', Buffer.from('this is a text file'), /could not be read/],
    ['a truncated picture', undefined, /could not be read/],
  ])('refuses %s as bad input', async (_, given, message) => {
    const bytes = given ?? (await sample('jumper')).subarray(0, 200);
    await expect(cutOut(bytes, 1000, 'product_image')).rejects.toMatchObject({ errorClass: 'bad_input' });
    await expect(cutOut(bytes, 1000, 'product_image')).rejects.toThrow(message);
  });

  it('refuses a blank sheet and says what to send', async () => {
    const blank = await sharp({ create: { width: 600, height: 800, channels: 3, background: '#efece6' } })
      .png()
      .toBuffer();
    await expect(cutOut(blank, 1000, 'product_image')).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('plain background'),
    });
  });

  it.each(['jersey', 'curls-and-hood', 'skateboarder'])(
    'refuses the photograph %s, because a person wears the garment',
    async (name) => {
      await expect(cutOut(await photo(name), 1000, 'product_image')).rejects.toMatchObject({
        errorClass: 'bad_input',
        message: expect.stringMatching(/^product_image shows a person\. .+ send the garment laid out/),
      });
    },
  );

  it.each(['nobody-car', 'nobody-office'])(
    'refuses %s, where no garment is told from the ground',
    async (name) => {
      await expect(cutOut(await photo(name), 1000, 'product_image')).rejects.toMatchObject({
        errorClass: 'bad_input',
        message: expect.stringContaining('plain background'),
      });
    },
  );

  it('refuses noise, which has no plain background', async () => {
    const data = Buffer.alloc(400 * 400 * 3);
    for (let i = 0; i < data.length; i++) data[i] = (i * 2654435761) >>> 24;
    const noise = await sharp(data, { raw: { width: 400, height: 400, channels: 3 } })
      .png()
      .toBuffer();
    await expect(cutOut(noise, 1000, 'product_image')).rejects.toMatchObject({ errorClass: 'bad_input' });
  });
});

describe('classFromWords', () => {
  it("believes the caller's title before the silhouette", () => {
    expect(classFromWords('Pleated midi skirt')).toBe('skirt');
    expect(classFromWords('Linen blazer')).toBe('outerwear');
    expect(classFromWords('Marea')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import {
  anotherFrame,
  blank,
  bricks,
  contrasted,
  flatLay,
  litFrom,
  model,
  room,
  sample,
  tinted,
  worn,
} from './photographs.fixture.js';
import { colourTemperature } from './colour-temperature.js';
import { readFraming } from './framing.js';
import { readLight } from './light-reading.js';
import { buildOf, genderOf } from './likeness.js';
import { readPhotograph } from './reading.js';

const reading = (bytes: Buffer) => readPhotograph(bytes, 'photo');
const slots = async (bytes: Buffer): Promise<string[]> =>
  (await reading(bytes)).garments.map((one) => one.slot);

/** Share of a mask's pixels within a box given in shares of the picture. */
function inside(
  { data, width, height }: { data: Uint8Array; width: number; height: number },
  box: number[],
): number {
  const [left = 0, top = 0, right = 1, bottom = 1] = box;
  let [within, all] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    all++;
    const [x, y] = [(i % width) / width, Math.floor(i / width) / height];
    if (x >= left && x < right && y >= top && y < bottom) within++;
  }
  return within / Math.max(1, all);
}

describe('readPhotograph', () => {
  it.each([
    ['in the studio', () => worn('trousers', 65)],
    ['in a room', () => worn('trousers', 65, 'room')],
    ['before bricks', () => worn('trousers', 65, 'bricks')],
    ['in another frame of the same shoot', async () => anotherFrame(await worn('trousers', 65, 'bricks'))],
  ])('finds the person, the top and the trousers %s', async (_, photograph) => {
    const { wearer, garments, subject } = await reading(await photograph());
    expect(wearer?.head.confidence).toBeGreaterThan(0.6);
    expect(garments.map((one) => one.slot)).toEqual(expect.arrayContaining(['upper', 'lower']));
    const [upper, lower] = ['upper', 'lower'].map((slot) => garments.find((one) => one.slot === slot));
    if (!upper || !lower) throw new Error('both were expected');
    expect(inside(upper.mask, [0.2, 0.16, 0.8, 0.42])).toBeGreaterThan(0.9);
    expect(inside(lower.mask, [0.2, 0.32, 0.8, 0.93])).toBeGreaterThan(0.9);
    expect(inside(subject.mask, [0.22, 0, 0.78, 1])).toBeGreaterThan(0.97);
  });

  it('leaves skin and hair out of what is worn', async () => {
    const { wearer, garments } = await reading(await worn('garment-photograph', 37, 'room'));
    const [dress] = garments;
    if (!wearer || !dress) throw new Error('a person in a dress was expected');
    expect(dress.slot).toBe('one_piece');
    const shared = dress.mask.data.filter((v, i) => v && (wearer.skin.data[i] || wearer.hair.data[i])).length;
    expect(shared).toBeLessThan(dress.mask.data.filter(Boolean).length * 0.06);
    expect(wearer.hairLength).toBeGreaterThan(0.75);
  });

  it.each([
    ['jacket', 'outer'],
    ['jumper', 'upper'],
    ['trousers', 'lower'],
    ['garment-photograph', 'one_piece'],
  ])('sees no person in the laid out %s', async (name, slot) => {
    const { wearer, garments } = await reading(await sample(name));
    expect(wearer).toBeUndefined();
    expect(garments.map((one) => one.slot)).toEqual([slot]);
  });

  it.each(['#e8c4a8', '#c9a27c', '#8b5a3c'])(
    'takes a shirt of the colour of skin, %s, for no person',
    async (cloth) => {
      for (const paper of ['#f1efea', '#8a6b4f', '#202124']) {
        const { wearer, garments } = await reading(await flatLay(cloth, paper));
        expect(wearer).toBeUndefined();
        expect(garments).toHaveLength(1);
      }
    },
  );

  it.each([
    ['a blank sheet', blank],
    ['an empty room', room],
    ['a wall', bricks],
  ])('finds nothing in %s', async (_, photograph) => {
    expect(await slots(await photograph())).toEqual([]);
  });

  it.each([
    [
      '1 × 1 pixel',
      () =>
        sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
          .png()
          .toBuffer(),
    ],
    [
      'a banner',
      async () =>
        sharp(await sample('jumper'))
          .resize(1600, 40, { fit: 'fill' })
          .toBuffer(),
    ],
    [
      'a grey picture',
      async () =>
        sharp(await sample('jumper'))
          .grayscale()
          .toBuffer(),
    ],
  ])('survives %s', async (_, photograph) => {
    await expect(reading(await photograph())).resolves.toBeDefined();
  });
});

describe('genderOf', () => {
  it.each([
    ['MALE', 'of base wear', () => model(12, { gender: 'MALE' })],
    ['FEMALE', 'in trousers', () => worn('trousers', 65)],
    ['FEMALE', 'before bricks', () => worn('garment-photograph', 37, 'bricks')],
  ])('takes a %s picture %s for one', async (gender, _, photograph) => {
    const { wearer, subject } = await reading(await photograph());
    if (!wearer) throw new Error('a person was expected');
    expect(genderOf(buildOf(subject.mask, wearer))).toBe(gender);
  });
});

describe('readLight', () => {
  it.each([
    ['a person', () => model(12, { gender: 'MALE' })],
    ['a person before bricks', () => worn('garment-photograph', 37, 'bricks')],
    ['a laid out garment', () => sample('jacket')],
  ])('tells light from the left from light from the right on %s', async (_, photograph) => {
    const bytes = await photograph();
    const left = readLight(await reading(await litFrom(bytes, 'left')));
    const right = readLight(await reading(await litFrom(bytes, 'right')));
    expect(left.direction).toMatch(/left/);
    expect(right.direction).toMatch(/right/);
    expect(left.slope[0]).toBeLessThan(0);
    expect(right.slope[0]).toBeGreaterThan(0);
  });

  it('calls flat light low and spread tones high in contrast', async () => {
    const bytes = await worn('jumper', 44);
    const plain = readLight(await reading(bytes)).contrast;
    const low = readLight(await reading(await contrasted(bytes, 0.4)));
    const high = readLight(await reading(await contrasted(bytes, 1.5)));
    expect(low.contrast).toBeLessThan(plain * 0.7);
    expect(low.contrastWord).toBe('low');
    expect(high.contrast).toBeGreaterThan(plain * 1.15);
    expect(high.contrastWord).toBe('high');
  });
});

describe('colourTemperature', () => {
  it.each([
    ['a studio', () => model(12, { gender: 'MALE' })],
    ['bricks', () => worn('garment-photograph', 37, 'bricks')],
    ['white paper', () => sample('jacket')],
  ])('is near daylight on %s, lower under a lamp and higher in the shade', async (_, photograph) => {
    const bytes = await photograph();
    const of = async (picture: Buffer): Promise<number> => {
      const { photograph: read, subject } = await reading(picture);
      return colourTemperature(read.small, subject.mask);
    };
    const plain = await of(bytes);
    expect(plain).toBeGreaterThan(5200);
    expect(plain).toBeLessThan(7400);
    expect(await of(await tinted(bytes, 'warm'))).toBeLessThan(4700);
    expect(await of(await tinted(bytes, 'cold'))).toBeGreaterThan(7500);
  });
});

describe('readFraming', () => {
  it('tells a whole figure from one that is cropped, and a worn garment from one that is laid out', async () => {
    const whole = await model(12, { gender: 'MALE' });
    const { width, height } = await sharp(whole).metadata();
    const cropped = (share: number): Promise<Buffer> =>
      sharp(whole)
        .extract({ left: 0, top: 0, width, height: Math.round(height * share) })
        .png()
        .toBuffer();
    const crops = [];
    for (const photograph of [whole, await cropped(0.66), await cropped(0.42), await sample('jacket')]) {
      crops.push(readFraming(await reading(photograph)));
    }
    expect(crops.map((one) => one.crop)).toEqual(['full', 'three_quarter', 'half', 'full']);
    expect(crops.map((one) => one.pose === 'laid_flat')).toEqual([false, false, false, true]);
    expect(crops[3]).toMatchObject({ angle: 'overhead', cameraHeight: 'high' });
  });

  it('sees on which side of the middle somebody stands', async () => {
    const bytes = await model(12, { gender: 'MALE' });
    const moved = await sharp(bytes).extend({ left: 220, extendWith: 'mirror' }).png().toBuffer();
    expect(readFraming(await reading(moved)).offset).toBeGreaterThan(0.08);
    expect(readFraming(await reading(await sharp(moved).flop().png().toBuffer())).offset).toBeLessThan(-0.08);
  });
});

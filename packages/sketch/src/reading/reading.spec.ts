import { describe, expect, it } from 'vitest';
import type { EngineImage } from '@atelier/engine';
import sharp from 'sharp';
import {
  blank,
  bricks,
  contrasted,
  known,
  litFrom,
  model,
  photograph,
  room,
  sample,
  tinted,
  worn,
} from './photographs.fixture.js';
import { colourTemperature } from './colour-temperature.js';
import { readFraming } from './framing.js';
import { readLight } from './light-reading.js';
import { readPhotograph } from './reading.js';

const reading = (picture: Buffer | EngineImage) =>
  readPhotograph(known('photo', Buffer.isBuffer(picture) ? { name: '', bytes: picture } : picture));

/** The same drawing with other pixels. */
const changed = async (
  picture: EngineImage,
  change: (bytes: Buffer) => Promise<Buffer>,
): Promise<EngineImage> => ({
  ...picture,
  bytes: await change(picture.bytes),
});

/** Share of a mask's pixels that lie within a box. The box is given in shares of the picture. */
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
    ['in the studio', () => worn('trousers', 65), true],
    ['in a room', () => worn('trousers', 65, 'room'), false],
  ])('knows who wears what in a picture that was drawn %s', async (_, drawn, plain) => {
    const { figure, garments, subject, person } = await reading(await drawn());
    expect(figure).toMatchObject({ shows: 'full', person: { seed: 65 } });
    expect(person).toBeUndefined();
    expect(garments.map((one) => one.slot)).toEqual(['lower']);
    if (!garments[0]) throw new Error('trousers were expected');
    expect(inside(garments[0].mask, [0.2, 0.25, 0.8, 0.95])).toBeGreaterThan(0.98);
    expect(inside(subject.mask, [0.22, 0, 0.78, 1])).toBeGreaterThan(0.97);
    expect(subject.plainGround).toBe(plain);
  });

  it.each([
    ['jacket', 'outer'],
    ['jumper', 'upper'],
    ['trousers', 'lower'],
    ['garment-photograph', 'one_piece'],
  ])('sees no person in the laid out %s', async (name, slot) => {
    const { figure, person, garments } = await reading(await sample(name));
    expect([figure, person]).toEqual([undefined, undefined]);
    expect(garments.map((one) => one.slot)).toEqual([slot]);
    expect(garments[0]?.confidence).toBeGreaterThan(0.6);
  });

  it.each([
    ['jersey', true],
    ['three-standing', true],
    ['between-chairs', true],
    ['nobody-office', undefined],
    ['two-walking', undefined],
  ])('takes nothing for a garment on the photograph %s; somebody is on it: %s', async (name, person) => {
    const read = await reading(await photograph(name));
    expect(read).toMatchObject({ garments: [], refusal: expect.stringMatching(/on a plain background/) });
    expect(read.person).toBe(person);
  });

  it.each([
    ['a blank sheet', blank],
    ['an empty room', room],
    ['a wall', bricks],
  ])('finds nothing in %s', async (_, photo) => {
    expect((await reading(await photo())).garments).toEqual([]);
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
  ])('survives %s', async (_, photo) => {
    await expect(reading(await photo())).resolves.toBeDefined();
  });
});

describe('readLight', () => {
  it.each([
    ['a person', () => model(12, { gender: 'MALE' })],
    ['a person before bricks', () => worn('garment-photograph', 37, 'bricks')],
    ['a laid out garment', async () => ({ name: '', bytes: await sample('jacket') })],
  ])('tells light from the left from light from the right on %s', async (_, photo) => {
    const picture = await photo();
    const left = readLight(await reading(await changed(picture, (bytes) => litFrom(bytes, 'left'))));
    const right = readLight(await reading(await changed(picture, (bytes) => litFrom(bytes, 'right'))));
    expect(left.direction).toMatch(/left/);
    expect(right.direction).toMatch(/right/);
    expect(left.slope[0]).toBeLessThan(0);
    expect(right.slope[0]).toBeGreaterThan(0);
  });

  it('calls flat light low and spread tones high in contrast', async () => {
    const picture = await worn('jumper', 44);
    const plain = readLight(await reading(picture)).contrast;
    const low = readLight(await reading(await changed(picture, (bytes) => contrasted(bytes, 0.4))));
    const high = readLight(await reading(await changed(picture, (bytes) => contrasted(bytes, 1.5))));
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
    ['white paper', async () => ({ name: '', bytes: await sample('jacket') })],
  ])('is near daylight on %s, lower under a lamp and higher in the shade', async (_, photo) => {
    const whole = await photo();
    const of = async (picture: EngineImage): Promise<number> => {
      const { photograph: read, subject } = await reading(picture);
      return colourTemperature(read.small, subject.mask);
    };
    const plain = await of(whole);
    expect(plain).toBeGreaterThan(5200);
    expect(plain).toBeLessThan(7400);
    expect(await of(await changed(whole, (bytes) => tinted(bytes, 'warm')))).toBeLessThan(4700);
    expect(await of(await changed(whole, (bytes) => tinted(bytes, 'cold')))).toBeGreaterThan(7500);
  });
});

describe('readFraming', () => {
  it('says of a drawing what it tells of itself, and of a laid out garment what is seen', async () => {
    const pictures = [
      await model(12, { gender: 'MALE' }),
      await worn('garment-photograph', 37),
      await worn('jumper', 44),
      await sample('jacket'),
    ];
    const framings = [];
    for (const picture of pictures) framings.push(readFraming(await reading(picture)));
    expect(framings.map((one) => one.crop)).toEqual(['full', 'full', 'three_quarter', 'full']);
    // The meta of a model's picture does not hold the model's pose.
    expect(framings.map((one) => one.pose)).toEqual([undefined, 'hand_on_hip', 'hand_on_hip', 'laid_flat']);
    expect(framings[3]).toMatchObject({ angle: 'overhead', cameraHeight: 'high' });
    expect(framings[0]?.headsShown).toBeGreaterThan(8);
    expect(framings[2]?.headsShown).toBeLessThan(7);
  });
});

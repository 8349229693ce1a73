import { beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage } from '@atelier/engine';
import { asInput, garment, make, shareOf, type Made } from './garments/sheet.fixture.js';

/**
 * Each row is a garment: its category, the category of the item, and a colour that nothing else in the picture
 * has.
 */
const OUTFIT = [
  ['t_shirt', 'top', '#1fa34a'],
  ['trousers', 'bottom', '#2438c8'],
  ['sneakers', 'footwear', '#e02890'],
  ['handbag', 'bag', '#e8c010'],
  ['beanie', 'headwear', '#d8301c'],
  ['belt', 'accessory', '#18c4c8'],
] as const;

/** The place of each on a full-length picture: left, top, right and bottom, in shares of the picture. */
const PLACES = {
  top: [0.4, 0.25, 0.6, 0.33],
  bottom: [0.36, 0.55, 0.64, 0.8],
  footwear: [0.32, 0.86, 0.68, 0.96],
  bag: [0.55, 0.45, 0.95, 0.66],
  headwear: [0.4, 0.02, 0.6, 0.12],
  accessory: [0.42, 0.34, 0.58, 0.4],
} as const;

const LEAST = { top: 0.6, bottom: 0.25, footwear: 0.04, bag: 0.05, headwear: 0.2, accessory: 0.06 } as const;

let person: Made;
/** `things` are pictures with meta; `photographs` are pictures without it. */
let things: EngineImage[];
let photographs: EngineImage[];

const body = (
  categories: readonly string[] = OUTFIT.map(([, category]) => category),
): Record<string, unknown> => ({
  items: categories.map((category) => ({ trial_item_category: category })),
});

beforeAll(async () => {
  person = await make('model-generator', { generation_stage: 'full_body', gender: 'FEMALE' }, [], {
    seed: 2,
  });
  const made: Made[] = [];
  for (const [key, , colour] of OUTFIT) made.push(await garment(key, colour));
  things = made.map(({ picture }, i) => asInput(`item-${i}`, picture));
  photographs = made.map(({ picture }, i) => asInput(`item-${i}`, picture, false));
});

let drawn: Promise<Made> | undefined;
const all = (): Promise<Made> =>
  (drawn ??= make('try-on', body(), [asInput('user_image', person.picture), ...things], {
    displayName: 'Saturday',
  }));

describe('try-on', () => {
  it.each(OUTFIT)('puts the %s where a %s belongs', async (_, category, colour) => {
    const { picture } = await all();
    expect(await shareOf(picture.bytes, PLACES[category], colour, 80)).toBeGreaterThan(LEAST[category]);
  });

  it('shows the cut-outs, then the clothes, then the whole, and says what is worn', async () => {
    const { picture, stages } = await all();
    expect(stages.map((s) => s.stage)).toEqual(['item_cutouts', 'clothes']);
    expect(stages[0]?.pictures).toHaveLength(OUTFIT.length);
    expect((await sharp(stages[0]?.pictures[0]?.bytes).metadata()).hasAlpha).toBe(true);
    expect(picture).toMatchObject({ kind: 'try_on_render', label: 'Saturday', width: 683, height: 1024 });
    expect(picture.meta).toMatchObject({
      items: OUTFIT.map(([key, category]) => ({ category, category_key: key })),
      person: { gender: 'FEMALE', seed: person.picture.meta['seed'] },
    });
  });

  it('keeps the very person: skin and face are those of the picture', async () => {
    const { picture } = await all();
    expect(picture.meta).toMatchObject({
      skin_tone: person.picture.meta['skin_tone'],
      hair: person.picture.meta['hair'],
    });
  });

  it('draws the same bytes for the same request', async () => {
    const again = await make('try-on', body(), [asInput('user_image', person.picture), ...things]);
    expect(again.picture.bytes.equals((await all()).picture.bytes)).toBe(true);
  });

  it('refuses a person whom it did not draw', async () => {
    const refusal = make('try-on', body(), [asInput('user_image', person.picture, false), ...things]);
    await expect(refusal).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('user_image is a photograph'),
    });
  });

  it('dresses a person in photographed things', async () => {
    const { picture } = await make('try-on', body(), [asInput('user_image', person.picture), ...photographs]);
    for (const category of ['top', 'bottom', 'headwear', 'bag'] as const) {
      const colour = OUTFIT.find(([, one]) => one === category)?.[2] ?? '';
      expect(await shareOf(picture.bytes, PLACES[category], colour, 90)).toBeGreaterThan(
        LEAST[category] * 0.6,
      );
    }
  });

  it('lays a coat over a shirt, and a dress reaches where trousers would be', async () => {
    const coat = asInput('item-1', (await garment('coat', '#d8301c')).picture);
    const shirt = asInput('item-0', (await garment('t_shirt', '#1fa34a')).picture);
    const over = await make('try-on', body(['top', 'outerwear']), [
      asInput('user_image', person.picture),
      shirt,
      coat,
    ]);
    const chest = [0.38, 0.3, 0.62, 0.4] as const;
    expect(await shareOf(over.picture.bytes, chest, '#d8301c', 90)).toBeGreaterThan(
      (await shareOf(over.picture.bytes, chest, '#1fa34a', 90)) * 2,
    );
    const dress = asInput('item-0', (await garment('maxi_dress', '#2438c8')).picture);
    const long = await make('try-on', body(['one_piece']), [asInput('user_image', person.picture), dress]);
    expect(await shareOf(long.picture.bytes, [0.42, 0.6, 0.58, 0.75], '#2438c8', 90)).toBeGreaterThan(0.8);
  });

  it('lays long sleeves along both arms', async () => {
    const shirt = asInput('item-0', (await garment('sweater', '#1fa34a')).picture);
    const { picture } = await make('try-on', body(['top']), [asInput('user_image', person.picture), shirt]);
    // These boxes reach from above the elbow to above the wrist, beside the body.
    for (const arm of [
      [0.26, 0.3, 0.4, 0.4],
      [0.6, 0.3, 0.74, 0.4],
    ] as const) {
      expect(await shareOf(picture.bytes, arm, '#1fa34a', 80)).toBeGreaterThan(0.2);
    }
  });

  it('honours the size that is asked for', async () => {
    const [first] = things;
    const asked = { ...body(['top']), output_preset: 'square' };
    const { picture } = await make('try-on', asked, [
      asInput('user_image', person.picture),
      ...(first ? [first] : []),
    ]);
    expect(picture).toMatchObject({ width: 1024, height: 1024 });
  });

  it('refuses an item that cannot be told from its background, and says what to send', async () => {
    const blank = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#eeeae2' } })
      .png()
      .toBuffer();
    const pending = make('try-on', body(['top']), [
      asInput('user_image', person.picture),
      { name: 'item-0', bytes: blank },
    ]);
    await expect(pending).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('plain background'),
    });
  });

  it.each([
    ['user_image', [] as string[]],
    ['item-0', ['user_image']],
  ])('says that %s is missing', async (name, given) => {
    const pending = make(
      'try-on',
      body(['top']),
      given.map((one) => asInput(one, person.picture)),
    );
    await expect(pending).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining(name),
    });
  });
});

import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, RenderRequest, RenderResult } from '@atelier/engine';
import { blank, bricks, known, model, photograph, sample, worn } from './reading/photographs.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const request = (picture: Buffer | EngineImage, body: object = {}, testMark = false): RenderRequest => ({
  workflow: 'pdp-extractions',
  body: { ...body },
  inputs: [known('pdp_image', Buffer.isBuffer(picture) ? { name: '', bytes: picture } : picture)],
  seed: 7,
  displayName: '',
  testMark,
});

const run = (asked: RenderRequest): Promise<RenderResult> =>
  engine.render(asked, {
    signal: new AbortController().signal,
    garmentKind: () => undefined,
    onStage: async () => undefined,
  });

let dressed: Promise<RenderResult> | undefined;
const inDress = async (): Promise<RenderResult> =>
  (dressed ??= run(request(await worn('garment-photograph', 37, 'bricks'), { product_name: 'Marea dress' })));

const pictureOf = ({ pictures }: RenderResult, kind: string) => {
  const found = pictures.find((one) => one.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found;
};

describe('pdp-extractions', () => {
  it('gives one garment, the person, the background and the recipe, in this order', async () => {
    const { pictures, failures } = await inDress();
    expect(pictures.map((one) => one.kind)).toEqual([
      'garment',
      'person',
      'background_plate',
      'photography_recipe',
    ]);
    expect(failures).toEqual([]);
    expect(pictures[0]).toMatchObject({ label: 'Marea dress', meta: { slot: 'one_piece' } });
  });

  it('draws the very person whom the facts of one of our own pictures name', async () => {
    const drawn = await model(15, { gender: 'MALE', ethnicity: 'west_african' });
    const { meta } = pictureOf(await run(request(drawn, { arms: ['person'] })), 'person');
    const { gender, ethnicity, skin_tone, hair, seed } = drawn.meta ?? {};
    expect(meta).toMatchObject({ gender, ethnicity, skin_tone, hair, seed, source: 'known' });
    expect(meta).not.toHaveProperty('confidence');
  });

  it.each([
    'astronaut',
    'between-chairs',
    'bow-tie',
    'dark-hair',
    'jersey',
    'scarf',
    'skateboarder',
    'three-standing',
    'two-walking',
    'yellow-wall',
    'nobody-office',
  ])('refuses the photograph %s, of which nothing can be read', async (name) => {
    await expect(run(request(await photograph(name)))).rejects.toMatchObject({
      errorClass: 'no_image',
      message: expect.stringMatching(
        /^The photograph gave nothing\. .* Send a photograph of the product by itself/,
      ),
    });
  });

  it('takes nothing from a person who was photographed, and no place behind them, and says so', async () => {
    const photo = await photograph('jersey');
    const { pictures, failures } = await run(request(photo, { arms: ['garment', 'person', 'background'] }));
    expect(pictures).toEqual([]);
    expect(failures?.map(({ arm, code }) => [arm, code])).toEqual([
      ['garment', 'VISION_MODEL_REQUIRED'],
      ['person', 'VISION_MODEL_REQUIRED'],
      ['background', 'VISION_MODEL_REQUIRED'],
    ]);
    for (const { message } of failures ?? []) expect(message).toMatch(/engine .*\./);
  });

  it('leaves nobody on the empty background', async () => {
    const plate = pictureOf(await inDress(), 'background_plate');
    const wall = await sharp(await bricks())
      .resize(plate.width, plate.height, { fit: 'fill' })
      .png()
      .toBuffer();
    const middle = {
      left: Math.round(plate.width * 0.44),
      top: Math.round(plate.height * 0.3),
      width: 80,
      height: 250,
    };
    const means = async (bytes: Buffer): Promise<number[]> =>
      (await sharp(await sharp(bytes).extract(middle).png().toBuffer()).stats()).channels
        .slice(0, 3)
        .map((c) => c.mean);
    const [made, truth] = [await means(plate.bytes), await means(wall)];
    made.forEach((value, k) => expect(Math.abs(value - (truth[k] ?? 0))).toBeLessThan(16));
    expect(plate.meta['reconstructed_share']).toBeGreaterThan(0.1);
  });

  it('measures a recipe that names light, crop, camera, pose and styling', async () => {
    expect(pictureOf(await inDress(), 'photography_recipe').meta).toMatchObject({
      light: {
        direction: expect.stringMatching(/left|front|right|above|back/),
        contrast: expect.any(Number),
        colour_temperature: expect.any(Number),
      },
      crop: 'full',
      camera: { height: expect.any(String), angle: expect.any(String) },
      pose: 'hand_on_hip',
      styling: expect.arrayContaining([{ slot: 'one_piece', colours: expect.any(Array) }]),
    });
  });

  it('reads a flat-lay without a person, and says so', async () => {
    const { pictures, failures, message } = await run(request(await sample('jacket')));
    expect(pictures.map((one) => one.kind)).toEqual(['garment', 'background_plate', 'photography_recipe']);
    expect(failures).toEqual([
      { arm: 'person', code: 'NO_PERSON_FOUND', message: expect.stringContaining('head') },
    ]);
    expect(message).toContain('person');
  });

  it('runs only the arms that it is asked for', async () => {
    const { pictures, failures } = await run(
      request(await sample('jacket'), { arms: ['recipe', 'garment'] }),
    );
    expect(pictures.map((one) => one.kind)).toEqual(['garment', 'photography_recipe']);
    expect(failures).toEqual([]);
  });

  it('lets the person fail when a test key asks for a partial outcome', async () => {
    const { failures } = await run(request(await sample('jacket'), { test_partial: true }));
    expect(failures).toEqual([expect.objectContaining({ arm: 'person', code: 'TEST_OUTCOME' })]);
  });

  it('gives nothing from a picture of nothing but the empty ground', async () => {
    const { pictures, failures } = await run(request(await blank()));
    expect(pictures.map((one) => one.kind)).toEqual(['background_plate']);
    expect(failures?.map((one) => one.code)).toEqual([
      'NO_GARMENT_FOUND',
      'NO_PERSON_FOUND',
      'NO_SUBJECT_FOUND',
    ]);
  });

  it('leaves it at nothing for a photograph of a batch that has its background already', async () => {
    const { pictures, failures } = await run(
      request(await blank(), { arms: ['garment', 'person', 'recipe'] }),
    );
    expect(pictures).toEqual([]);
    expect(failures?.map((one) => one.arm)).toEqual(['garment', 'person', 'recipe']);
  });

  it('refuses what is no picture as bad input', async () => {
    await expect(run(request(Buffer.from('GIF89a, or so it says')))).rejects.toMatchObject({
      errorClass: 'bad_input',
    });
  });

  it('draws the same bytes for the same request, and marks those of the test environment', async () => {
    const bytes = await sample('trousers');
    const [one, two, marked] = [
      await run(request(bytes)),
      await run(request(bytes)),
      await run(request(bytes, {}, true)),
    ];
    one.pictures.forEach((picture, k) => {
      expect(picture.bytes.equals(two.pictures[k]?.bytes ?? Buffer.alloc(0))).toBe(true);
      expect(picture.bytes.equals(marked.pictures[k]?.bytes ?? Buffer.alloc(0))).toBe(false);
    });
  });
});

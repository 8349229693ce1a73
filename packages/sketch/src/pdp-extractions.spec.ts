import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, RenderRequest, RenderResult } from '@atelier/engine';
import { toLab, parseHex } from './drawing/colour.js';
import { blank, bricks, model, sample, worn } from './reading/photographs.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const request = (
  bytes: Buffer,
  body: object = {},
  meta?: EngineImage['meta'],
  testMark = false,
): RenderRequest => ({
  workflow: 'pdp-extractions',
  body: { ...body },
  inputs: [{ name: 'pdp_image', bytes, ...(meta ? { meta } : {}) }],
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

const apart = (one: string, two: string): number => {
  const [p, q] = [toLab(parseHex(one)), toLab(parseHex(two))];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
};

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

  it('casts a person of the measured skin and hair', async () => {
    const bytes = await model(15, { gender: 'FEMALE', ethnicity: 'northern_european' });
    const { meta } = pictureOf(await run(request(bytes, { arms: ['person'] })), 'person');
    const drawn = await engine.render(
      {
        ...request(bytes),
        workflow: 'model-generator',
        body: { gender: 'FEMALE', ethnicity: 'northern_european' },
        seed: 15,
      },
      { signal: new AbortController().signal, garmentKind: () => undefined, onStage: async () => undefined },
    );
    const truth = drawn.pictures[0]?.meta as { skin_tone: string; hair: { colour: string } };
    const read = meta as {
      skin_tone: string;
      hair: { colour: string };
      gender: string;
      source: string;
      seed: number;
    };
    expect(apart(read.skin_tone, truth.skin_tone)).toBeLessThan(9);
    expect(apart(read.hair.colour, truth.hair.colour)).toBeLessThan(9);
    expect(read).toMatchObject({ gender: 'FEMALE', source: 'measured', seed: 7 });
  });

  it('draws the very person whom the facts of one of our own pictures name', async () => {
    const facts = { seed: 65, gender: 'FEMALE', ethnicity: 'indian', skin_tone: '#d9ab8b' };
    const bytes = await worn('trousers', 65);
    const { meta } = pictureOf(await run(request(bytes, { arms: ['person'] }, facts)), 'person');
    expect(meta).toMatchObject({ ...facts, source: 'known' });
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

  it('finds no background behind a subject that fills the frame', async () => {
    const bytes = await worn('jacket', 51, undefined, 'MALE');
    const { width, height } = await sharp(bytes).metadata();
    const close = await sharp(bytes)
      .extract({
        left: Math.round(width * 0.34),
        top: Math.round(height * 0.04),
        width: Math.round(width * 0.32),
        height: Math.round(height * 0.36),
      })
      .png()
      .toBuffer();
    const { failures } = await run(request(close, { arms: ['garment', 'background'] }));
    expect(failures).toContainEqual(
      expect.objectContaining({ arm: 'background', code: 'NO_BACKGROUND_FOUND' }),
    );
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
      await run(request(bytes, {}, undefined, true)),
    ];
    one.pictures.forEach((picture, k) => {
      expect(picture.bytes.equals(two.pictures[k]?.bytes ?? Buffer.alloc(0))).toBe(true);
      expect(picture.bytes.equals(marked.pictures[k]?.bytes ?? Buffer.alloc(0))).toBe(false);
    });
  });
});

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, EnginePicture, EngineStage } from '@atelier/engine';
import { presetOf } from './presets.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

/** Milliseconds. A test draws several pictures, and other tests may keep the machine busy. */
const SLOW = 120_000;

const render = async (workflow: string, body: Record<string, unknown>, inputs: EngineImage[]) => {
  const stages: EngineStage[] = [];
  const { pictures } = await engine.render(
    { workflow, body, inputs, seed: 21, displayName: '', testMark: false },
    {
      signal: new AbortController().signal,
      garmentKind: () => undefined,
      onStage: async (stage) => void stages.push(stage),
    },
  );
  const [picture] = pictures;
  if (!picture) throw new Error('no picture');
  return { picture, stages };
};

const wall = (): Promise<Buffer> =>
  sharp(
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="819" height="1024"><rect width="819" height="1024" fill="#7f93a8"/><rect y="880" width="819" height="144" fill="#5d4c3c"/></svg>',
    ),
  )
    .png()
    .toBuffer();

const model = (label: string): EngineImage => ({
  name: 'model_image',
  bytes: Buffer.alloc(0),
  meta: presetOf('model', label).spec,
});

/** A pale woman in the sample dress before a blue wall. */
const dressed = async (): Promise<EnginePicture> => {
  const product = await readFile(new URL('../../../assets/samples/garment-photograph.jpg', import.meta.url));
  const inputs = [
    { name: 'product_image', bytes: product },
    { ...model('Freya') },
    { name: 'background_image', bytes: await wall() },
  ];
  return (await render('product-to-model-direct', {}, inputs)).picture;
};

let made: Promise<EnginePicture> | undefined;
const source = async (withMeta: boolean): Promise<EngineImage> => {
  const { bytes, meta } = await (made ??= dressed());
  return { name: 'source_image', bytes, ...(withMeta ? { meta } : {}) };
};

let done: ReturnType<typeof render> | undefined;
const swapped = async () =>
  (done ??= render('model-swap-with-image', { output_preset: 'portrait' }, [
    await source(true),
    model('Adaeze'),
  ]));

const meanOf = async (bytes: Buffer, left: number, top: number, w: number, h: number): Promise<number[]> => {
  const { width, height } = await sharp(bytes).metadata();
  const area = {
    left: Math.round(left * width),
    top: Math.round(top * height),
    width: Math.round(w * width),
    height: Math.round(h * height),
  };
  const part = await sharp(bytes).extract(area).png().toBuffer();
  return (await sharp(part).stats()).channels.slice(0, 3).map((c) => c.mean);
};

const apart = (a: number[], b: number[]): number => Math.hypot(...a.map((v, c) => v - (b[c] ?? 0)));
const FACE = [0.475, 0.125, 0.05, 0.03] as const;
const SKIRT = [0.46, 0.5, 0.08, 0.12] as const;
const WALL = [0.05, 0.2, 0.2, 0.3] as const;

describe('model-swap-with-image', () => {
  it(
    'keeps the dress and the place, and changes the person',
    async () => {
      const [before, after] = [(await source(true)).bytes, (await swapped()).picture.bytes];
      expect(apart(await meanOf(before, ...SKIRT), await meanOf(after, ...SKIRT))).toBeLessThan(12);
      expect(apart(await meanOf(before, ...WALL), await meanOf(after, ...WALL))).toBeLessThan(4);
      const [old, young] = [await meanOf(before, ...FACE), await meanOf(after, ...FACE)];
      expect((old[0] ?? 0) - (young[0] ?? 0)).toBeGreaterThan(60);
    },
    SLOW,
  );

  it(
    'leaves no trace of the old hair on the wall',
    async () => {
      // Freya's hair falls to her shoulders. Adaeze's hair is a cloud around her head.
      const beside = await meanOf((await swapped()).picture.bytes, 0.38, 0.2, 0.03, 0.02);
      expect(apart(beside, await meanOf((await swapped()).picture.bytes, ...WALL))).toBeLessThan(25);
    },
    SLOW,
  );

  it(
    'shows what is kept, then the new person; the result tells who it is, so that it can be swapped again',
    async () => {
      const { picture, stages } = await swapped();
      expect(stages.map(({ stage }) => stage)).toEqual(['garment_kept', 'figure']);
      expect(picture).toMatchObject({
        kind: 'model_swap',
        width: 819,
        height: 1024,
        meta: { garment_class: 'dress', person: { seed: 41, ethnicity: 'west_african' } },
      });
      expect(JSON.stringify(picture.meta).length).toBeLessThan(6000);
      const again = await render('model-swap-with-image', { output_preset: 'story' }, [
        { name: 'source_image', bytes: picture.bytes, meta: picture.meta },
        model('Hana'),
      ]);
      expect([again.picture.width, again.picture.height]).toEqual([576, 1024]);
    },
    SLOW,
  );

  it.each([
    ['a picture that does not tell how it was composed', async () => source(false)],
    ['an empty room', async () => ({ name: 'source_image', bytes: await wall() })],
  ])(
    'refuses %s and says what to name',
    async (_, given) => {
      const pending = render('model-swap-with-image', { output_preset: 'square' }, [
        await given(),
        model('Hana'),
      ]);
      await expect(pending).rejects.toMatchObject({
        errorClass: 'bad_input',
        message: expect.stringMatching(/^source_image is a photograph.* Name a picture/),
      });
    },
    SLOW,
  );
});

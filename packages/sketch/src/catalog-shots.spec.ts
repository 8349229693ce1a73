import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineStage } from '@atelier/engine';
import { presetOf } from './presets.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

/** Milliseconds. A test draws several pictures, and other tests may keep the machine busy. */
const SLOW = 120_000;
const sample = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../assets/samples/${name}.jpg`, import.meta.url));

interface Order {
  readonly garments: readonly string[];
  readonly model?: string;
  readonly shot?: string;
  readonly body?: Record<string, unknown>;
}

const order = async ({ garments, model = 'Ananya', shot = 'Full length, frontal', body = {} }: Order) => {
  const blank = Buffer.alloc(0);
  const [who, where, how] = [
    presetOf('model', model),
    presetOf('background', 'Plaster wall'),
    presetOf('shot', shot),
  ];
  const refs = {
    garment_image_asset_refs: garments.map((_, k) => `01KDVDNA0033KV7VSJM53RAAS${k}`),
    model_preset_id: who.id,
    background_preset_id: where.id,
    shot_preset_id: how.id,
    product_title: 'Rust cable jumper and blue trousers',
  };
  const stages: EngineStage[] = [];
  const { pictures } = await engine.render(
    {
      workflow: 'catalog-shots',
      body: { ...refs, ...body },
      inputs: [
        ...(await Promise.all(
          garments.map(async (name, k) => ({ name: `garment-${k}`, bytes: await sample(name) })),
        )),
        { name: 'model', bytes: blank, meta: who.spec },
        { name: 'background', bytes: blank, meta: where.spec },
        { name: 'shot', bytes: blank, meta: how.spec },
      ],
      seed: 5,
      displayName: '',
      testMark: false,
    },
    {
      signal: new AbortController().signal,
      garmentKind: () => undefined,
      onStage: async (stage) => void stages.push(stage),
    },
  );
  const [picture] = pictures;
  if (!picture) throw new Error('no picture');
  return { picture, stages, refs };
};

const meanOf = async (bytes: Buffer, left: number, top: number, size: number): Promise<number[]> => {
  const { width, height } = await sharp(bytes).metadata();
  const area = {
    left: Math.round(left * width),
    top: Math.round(top * height),
    width: Math.round(size * width),
    height: Math.round(size * height),
  };
  const part = await sharp(bytes).extract(area).png().toBuffer();
  return (await sharp(part).stats()).channels.map((c) => c.mean);
};

/** Drawn once for the tests that only look at it. */
let first: ReturnType<typeof order> | undefined;
const two = () => (first ??= order({ garments: ['jumper', 'trousers'], body: { aspect_ratio: '16:9' } }));

describe('catalog-shots', () => {
  it(
    'is 2:3 whatever is asked, of 1K, and of 2K for high quality',
    async () => {
      expect((await two()).picture).toMatchObject({ kind: 'catalog_image', width: 683, height: 1024 });
      const high = await order({
        garments: ['trousers'],
        body: { quality: 'high', output_preset: 'square' },
      });
      expect([high.picture.width, high.picture.height]).toEqual([1365, 2048]);
    },
    SLOW,
  );

  it(
    'echoes its four references and the title exactly',
    async () => {
      const { picture, refs } = await two();
      expect(picture.meta).toMatchObject(refs);
      expect(picture.meta['garment_image_asset_refs']).toEqual(refs.garment_image_asset_refs);
    },
    SLOW,
  );

  it(
    'keeps what the presets are made of to itself',
    async () => {
      const told = JSON.stringify((await two()).picture.meta);
      for (const secret of [
        'ethnicity',
        'age_range',
        'colour_temperature',
        'topology',
        'palette',
        'skin_tone',
      ])
        expect(told).not.toContain(secret);
      expect((await two()).picture.meta['seed']).toBe(5);
    },
    SLOW,
  );

  it(
    'dresses the model in all garments: the jumper above, the trousers below',
    async () => {
      const { picture } = await two();
      const [red = 0, , blue = 0] = await meanOf(picture.bytes, 0.47, 0.34, 0.06);
      expect(red - blue).toBeGreaterThan(45);
      const [r = 0, , b = 0] = await meanOf(picture.bytes, 0.43, 0.6, 0.03);
      expect(b - r).toBeGreaterThan(15);
      expect(picture.meta['garments']).toMatchObject([
        { garment_class: 'top', worn: true },
        { garment_class: 'trousers', worn: true },
      ]);
    },
    SLOW,
  );

  it(
    'shows the cut-outs, then the posed model, and nothing of the recipe of its shot',
    async () => {
      const { stages } = await two();
      expect(stages.map(({ stage, pictures }) => [stage, pictures.length])).toEqual([
        ['garment_cutouts', 2],
        ['figure_posed', 1],
      ]);
      expect(stages[1]?.pictures[0]?.meta).not.toHaveProperty('framing');
    },
    SLOW,
  );

  it(
    'wears one garment in each place and says which one stayed over',
    async () => {
      const { picture } = await order({
        garments: ['trousers', 'trousers'],
        shot: 'Half length, soft light',
      });
      expect(picture.meta['garments']).toMatchObject([{ worn: true }, { worn: false }]);
      expect(picture.meta['view']).toMatchObject({ framing: 'half' });
    },
    SLOW,
  );

  it(
    'refuses an order without a garment as bad input',
    async () => {
      await expect(order({ garments: [] })).rejects.toMatchObject({
        errorClass: 'bad_input',
        message: expect.stringContaining('garment_image_asset_refs'),
      });
    },
    SLOW,
  );
});

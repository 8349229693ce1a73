import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineStage } from '@atelier/engine';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

/** Milliseconds. A test draws several pictures, and other tests may keep the machine busy. */
const SLOW = 120_000;
const jumper = readFile(new URL('../../../assets/samples/jumper.jpg', import.meta.url));

const run = async (workflow: string, body: Record<string, unknown> = {}) => {
  const stages: EngineStage[] = [];
  const { pictures } = await engine.render(
    {
      workflow,
      body,
      inputs: [
        { name: 'product_image', bytes: await jumper },
        { name: 'model_image', bytes: Buffer.alloc(0), meta: { seed: 8, gender: 'FEMALE' } },
      ],
      seed: 8,
      displayName: 'Rust jumper',
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
  return { picture, stages };
};

describe('product-to-model-phased', () => {
  it(
    'shows each phase as a stage with a picture, and ends with the picture that the direct way makes',
    async () => {
      const phased = await run('product-to-model-phased');
      const direct = await run('product-to-model-direct');
      expect(phased.stages.map(({ stage, pictures }) => [stage, pictures[0]?.kind])).toEqual([
        ['garment_cutout', 'garment_cutout'],
        ['figure_posed', 'figure'],
        ['dressed', 'dressed_figure'],
        ['placed', 'placed_figure'],
      ]);
      for (const one of phased.stages.flatMap(({ pictures }) => pictures))
        expect(await sharp(one.bytes).metadata()).toMatchObject({ width: one.width, height: one.height });
      expect(phased.picture).toMatchObject({ kind: 'on_model_render', label: 'Rust jumper' });
      expect(phased.picture.bytes.equals(direct.picture.bytes)).toBe(true);
      expect(phased.picture.meta).toEqual(direct.picture.meta);
    },
    SLOW,
  );

  it(
    'honours output_preset',
    async () => {
      const { picture } = await run('product-to-model-phased', { output_preset: 'story' });
      expect([picture.width, picture.height]).toEqual([576, 1024]);
    },
    SLOW,
  );

  it(
    'keeps what it tells of the picture within a few kilobytes',
    async () => {
      const { picture } = await run('product-to-model-phased', { output_preset: 'square' });
      expect(picture.meta).toMatchObject({
        seed: 8,
        garment_class: 'top',
        person: { seed: 8, gender: 'FEMALE' },
      });
      expect(JSON.stringify(picture.meta).length).toBeLessThan(5000);
    },
    SLOW,
  );
});

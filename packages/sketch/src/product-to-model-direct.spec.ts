import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, EngineStage, RenderRequest } from '@atelier/engine';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();
const dress = readFile(new URL('../../../assets/samples/garment-photograph.jpg', import.meta.url));

const request = async (
  body: Record<string, unknown> = {},
  more: EngineImage[] = [],
): Promise<RenderRequest> => ({
  workflow: 'product-to-model-direct',
  body,
  inputs: [{ name: 'product_image', bytes: await dress }, ...more],
  seed: 21,
  displayName: 'Marea dress',
  testMark: false,
});

const run = async (asked: RenderRequest, signal = new AbortController().signal) => {
  const stages: EngineStage[] = [];
  const result = await engine.render(asked, {
    signal,
    garmentKind: () => undefined,
    onStage: async (stage) => void stages.push(stage),
  });
  const picture = result.pictures[0];
  if (!picture) throw new Error('no picture');
  return { picture, stages };
};

/** Drawn once for the tests that only look at it. */
let first: ReturnType<typeof run> | undefined;

/** Mean colour of a rectangle given in shares of the picture. */
const meanOf = async (bytes: Buffer, left: number, top: number, size: number): Promise<number[]> => {
  const { width, height } = await sharp(bytes).metadata();
  const area = {
    left: Math.round(left * width),
    top: Math.round(top * height),
    width: Math.round(size * width),
    height: Math.round(size * height),
  };
  // The part is extracted to a buffer first, because sharp's stats() ignores `extract` and reads the whole
  // picture.
  const part = await sharp(bytes).extract(area).png().toBuffer();
  return (await sharp(part).stats()).channels.map((c) => c.mean);
};

describe('product-to-model-direct', () => {
  it('shows the cut-out, then the figure, then the garment worn, each a picture that decodes', async () => {
    const { picture, stages } = await (first ??= run(await request()));
    expect(stages.map((s) => s.stage)).toEqual(['garment_cutout', 'figure']);
    expect(picture).toMatchObject({
      kind: 'on_model_render',
      label: 'Marea dress',
      width: 819,
      height: 1024,
    });
    expect(picture.meta).toMatchObject({ seed: 21, garment_class: 'dress', gender: 'FEMALE' });
    for (const one of [...stages.flatMap((s) => s.pictures), picture]) {
      expect(await sharp(one.bytes).metadata()).toMatchObject({ width: one.width, height: one.height });
    }
    expect((await sharp(stages[0]?.pictures[0]?.bytes).metadata()).hasAlpha).toBe(true);
  });

  it("puts the garment's own colour where the body is", async () => {
    const [red = 0, green = 0, blue = 0] = await meanOf(
      (await (first ??= run(await request()))).picture.bytes,
      0.45,
      0.42,
      0.1,
    );
    // The sample is a teal dress with pale flowers, which has clearly more green and blue than red.
    expect(green - red).toBeGreaterThan(12);
    expect(blue - red).toBeGreaterThan(8);
  });

  it('draws the same bytes for the same seed', async () => {
    const [one, two] = [await (first ??= run(await request())), await run(await request())];
    expect(one.picture.bytes.equals(two.picture.bytes)).toBe(true);
  });

  it('stands the figure before the background that it is given', async () => {
    const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#2040c0' } })
      .png()
      .toBuffer();
    const { picture } = await run(await request({}, [{ name: 'background_image', bytes }]));
    const [red = 0, , blue = 0] = await meanOf(picture.bytes, 0.02, 0.3, 0.05);
    expect(blue - red).toBeGreaterThan(100);
  });

  it.each([
    ['product_image', 'background_image'],
    ['product_image', 'model_image'],
  ])('refuses a %s with a broken %s as bad input', async (_, name) => {
    const asked = await request({}, [{ name, bytes: Buffer.from('GIF89a, or so it says') }]);
    await expect(run(asked)).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining(name),
    });
  });

  it('stops within a second of an abort, and reports no stage after it', async () => {
    const controller = new AbortController();
    const stages: string[] = [];
    const pending = engine.render(await request({ resolution: '2K' }), {
      signal: controller.signal,
      garmentKind: () => undefined,
      onStage: async ({ stage }) => {
        stages.push(stage);
        controller.abort(new Error('cancelled'));
      },
    });
    await expect(pending).rejects.toThrow('cancelled');
    expect(stages).toEqual(['garment_cutout']);
  });
});

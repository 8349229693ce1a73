import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineStage, RenderRequest, RenderResult } from '@atelier/engine';
import { blank, sample, worn } from './reading/photographs.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const request = (
  bytes: Buffer | undefined,
  context: object = {},
  more: Partial<RenderRequest> = {},
): RenderRequest => ({
  workflow: 'extract',
  body: { extraction_context: context },
  inputs: bytes ? [{ name: 'trial_image', bytes }] : [],
  seed: 7,
  displayName: '',
  testMark: false,
  ...more,
});

async function run(asked: RenderRequest, signal = new AbortController().signal) {
  const stages: EngineStage[] = [];
  const result: RenderResult = await engine.render(asked, {
    signal,
    garmentKind: () => undefined,
    onStage: async (stage) => void stages.push(stage),
  });
  return { ...result, stages };
}

const outfit = (): Promise<Buffer> => worn('trousers', 65, 'room');

describe('extract', () => {
  it('lifts each garment out, largest first, after a map of the regions', async () => {
    const { pictures, stages } = await run(request(await outfit()));
    expect(stages.map((one) => [one.stage, one.pictures[0]?.kind])).toEqual([['regions', 'region_map']]);
    const metas = pictures.map(
      (one) => one.meta as { slot: string; area_share: number; bounding_box: number[] },
    );
    expect(metas.slice(0, 2).map((one) => one.slot)).toEqual(['lower', 'upper']);
    expect(metas.map((one) => one.area_share)).toEqual(
      [...metas.map((one) => one.area_share)].sort((p, q) => q - p),
    );
    for (const picture of pictures) {
      expect(picture.kind).toBe('extracted_garment');
      const { width, height, hasAlpha } = await sharp(picture.bytes).metadata();
      expect([width, height, hasAlpha]).toEqual([picture.width, picture.height, true]);
    }
    const [left = 0, top = 0, right = 0, bottom = 0] = metas[0]?.bounding_box ?? [];
    expect(left > 0.35 && right < 0.65 && top > 0.3 && bottom < 0.95 && left < right && top < bottom).toBe(
      true,
    );
  });

  it('clears the ground and keeps the cloth', async () => {
    const { pictures } = await run(request(await sample('jumper')));
    const [jumper] = pictures;
    const { data, info } = await sharp(jumper?.bytes).raw().toBuffer({ resolveWithObject: true });
    const alpha = (u: number, v: number): number =>
      data[(Math.round(v * (info.height - 1)) * info.width + Math.round(u * (info.width - 1))) * 4 + 3] ?? -1;
    expect(alpha(0.5, 0.5)).toBe(255);
    expect([alpha(0, 0), alpha(1, 0), alpha(0.01, 0.99), alpha(0.99, 0.99)]).toEqual([0, 0, 0, 0]);
    expect(jumper?.meta['dominant_colours']).toEqual(
      expect.arrayContaining([expect.stringMatching(/^#[0-9a-f]{6}$/)]),
    );
  });

  it("gives the product's name to the garment that it speaks of, and to no other", async () => {
    const named = async (name: string): Promise<string[]> =>
      (await run(request(await outfit(), { product_name: name }))).pictures.map((one) => one.label);
    expect((await named('Ribbed tank top'))[1]).toBe('Ribbed tank top');
    expect(await named('Silk scarf dress')).not.toContain('Silk scarf dress');
    const { pictures } = await run(request(await sample('jacket')));
    expect(pictures[0]?.label).toBe('Outer garment');
  });

  it.each([
    [1, 1],
    [99, 3],
  ])('takes max_items %d for at most %d', async (wanted, most) => {
    const { pictures } = await run(request(await outfit(), { max_items: wanted }));
    expect(pictures.length).toBeGreaterThan(0);
    expect(pictures.length).toBeLessThanOrEqual(most);
  });

  it('draws the same bytes again, and marks those of the test environment', async () => {
    const [one, two, marked] = [
      await run(request(await sample('jacket'))),
      await run(request(await sample('jacket'))),
      await run(request(await sample('jacket'), {}, { testMark: true })),
    ];
    expect(one.pictures[0]?.bytes.equals(two.pictures[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(one.pictures[0]?.bytes.equals(marked.pictures[0]?.bytes ?? Buffer.alloc(0))).toBe(false);
  });

  it.each([
    ['nothing at all', undefined, /trial_image is missing/],
    ['no picture', Buffer.from('hello'), /could not be read/],
    ['a blank sheet', blank(), /person who wears it/],
  ])('refuses %s as bad input and says what to send', async (_, given, message) => {
    const pending = run(request(await given));
    await expect(pending).rejects.toMatchObject({ errorClass: 'bad_input' });
    await expect(pending).rejects.toThrow(message);
  });

  it('stops when its caller gives up, and reports no stage after it', async () => {
    const controller = new AbortController();
    const bytes = await sample('jacket');
    const stages: string[] = [];
    const pending = engine.render(request(bytes), {
      signal: controller.signal,
      garmentKind: () => undefined,
      onStage: async ({ stage }) => {
        stages.push(stage);
        controller.abort(new Error('cancelled'));
      },
    });
    await expect(pending).rejects.toThrow('cancelled');
    expect(stages).toEqual(['regions']);
  });
});

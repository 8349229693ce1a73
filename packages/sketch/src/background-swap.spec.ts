import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, EnginePicture, EngineStage, RenderRequest } from '@atelier/engine';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();
const dress = readFile(new URL('../../../assets/samples/garment-photograph.jpg', import.meta.url));

async function render(
  workflow: string,
  body: Record<string, unknown>,
  inputs: readonly EngineImage[],
  seed = 5,
): Promise<{ picture: EnginePicture; stages: EngineStage[] }> {
  const stages: EngineStage[] = [];
  const asked: RenderRequest = { workflow, body, inputs, seed, displayName: '', testMark: false };
  const { signal } = new AbortController();
  const result = await engine.render(asked, {
    signal,
    garmentKind: () => undefined,
    onStage: async (stage) => void stages.push(stage),
  });
  const picture = result.pictures[0];
  if (!picture) throw new Error('no picture');
  return { picture, stages };
}

const asInput = (name: string, { bytes, meta }: EnginePicture): EngineImage => ({ name, bytes, meta });

const madeModel = (gender: string): Promise<EngineImage> =>
  render('model-generator', { generation_stage: 'full_body', gender, ethnicity: 'west_african' }, [], 8).then(
    ({ picture }) => asInput('source_image', picture),
  );

let person: Promise<EngineImage> | undefined;
const model = (): Promise<EngineImage> => (person ??= madeModel('MALE'));

const product = async (): Promise<EngineImage> => ({ name: 'source_image', bytes: await dress });

/** Mean colour of a square given in shares of the picture. */
async function meanOf(bytes: Buffer, left: number, top: number, size: number): Promise<number[]> {
  const { width, height } = await sharp(bytes).metadata();
  const side = Math.round(size * width);
  const part = await sharp(bytes)
    .extract({ left: Math.round(left * width), top: Math.round(top * height), width: side, height: side })
    .png()
    .toBuffer();
  return (await sharp(part).stats()).channels.map((channel) => channel.mean);
}

const flat = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 400, channels: 3, background } })
    .png()
    .toBuffer();

const onBlue = async (): Promise<EngineImage> => ({ name: 'background_image', bytes: await flat('#2848c8') });

describe('background-swap-with-image', () => {
  it('keeps the product and puts the new place around it', async () => {
    const { picture, stages } = await render('background-swap-with-image', {}, [
      await product(),
      await onBlue(),
    ]);
    expect(stages.map((s) => [s.stage, s.pictures[0]?.kind])).toEqual([['subject_cutout', 'subject_cutout']]);
    expect((await sharp(stages[0]?.pictures[0]?.bytes).metadata()).hasAlpha).toBe(true);
    expect(picture).toMatchObject({ kind: 'background_swap', meta: { subject: 'product' } });
    // The sample is a teal dress, which has more green than red. The corners of the new background do not.
    const [red = 0, green = 0] = await meanOf(picture.bytes, 0.46, 0.52, 0.08);
    expect(green - red).toBeGreaterThan(12);
    for (const [left, top] of [
      [0.01, 0.01],
      [0.93, 0.01],
      [0.01, 0.9],
      [0.93, 0.9],
    ] as const) {
      const [r = 0, , b = 0] = await meanOf(picture.bytes, left, top, 0.05);
      expect(b - r).toBeGreaterThan(90);
    }
  });

  it('tells a person that this engine drew from the wash behind it', async () => {
    const { picture, stages } = await render('background-swap-with-image', {}, [
      await model(),
      await onBlue(),
    ]);
    expect(picture.meta).toMatchObject({ subject: 'person', gender: 'MALE', backdrop: { picture: true } });
    expect(stages[0]?.pictures[0]?.meta['coverage']).toBeLessThan(0.3);
    const [r = 0, , b = 0] = await meanOf(picture.bytes, 0.12, 0.4, 0.06);
    expect(b - r).toBeGreaterThan(90);
  });

  it('draws a background that describes its scene anew, at the size of the picture', async () => {
    const place = await render('background-generator', { scene_type: 'beach' }, [], 3);
    const inputs = [await model(), asInput('background_image', place.picture)];
    const { picture } = await render(
      'background-swap-with-image',
      { output_preset: 'landscape', background_image_public_id: '01JBACKGROUND0000000000000' },
      inputs,
    );
    expect(picture).toMatchObject({ width: 1024, height: 576 });
    expect(picture.meta).toMatchObject({
      background_image_public_id: '01JBACKGROUND0000000000000',
      scene: place.picture.meta['scene'],
    });
  });

  it('says what is missing', async () => {
    await expect(render('background-swap-with-image', {}, [await product()])).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('background_image'),
    });
    await expect(render('background-swap-with-image', {}, [await onBlue()])).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringContaining('source_image'),
    });
  });
});

describe('background-swap-with-spec', () => {
  const spec = { scene_type: 'palace courtyard', mood: 'sunny', dominant_colors: ['sand', 'terracotta'] };

  /** Drawn once; the others compare with it. */
  let first: ReturnType<typeof render> | undefined;
  const base = async (): ReturnType<typeof render> =>
    (first ??= render('background-swap-with-spec', spec, [await model()]));

  it('draws the same bytes for the same request and seed, in the shape of its source', async () => {
    const [one, two] = [await base(), await render('background-swap-with-spec', spec, [await model()])];
    expect(one.picture).toMatchObject({ width: 683, height: 1024 });
    expect(one.picture.meta).toMatchObject({ topology: 'courtyard_veranda', aspect_ratio: '2:3' });
    expect(one.picture.bytes.equals(two.picture.bytes)).toBe(true);
  });

  it.each([
    ['scene', { scene_type: 'old library' }],
    ['mood', { mood: 'moody' }],
    ['colours', { dominant_colors: ['indigo'] }],
    ['output preset', { output_preset: 'square' }],
  ])('another %s makes another picture', async (_, change) => {
    const other = await render('background-swap-with-spec', { ...spec, ...change }, [await model()]);
    expect(other.picture.bytes.equals((await base()).picture.bytes)).toBe(false);
  });

  it('finds the subject of its own picture again, on a restless ground', async () => {
    const once = await base();
    const again = await render('background-swap-with-image', {}, [
      asInput('source_image', once.picture),
      await onBlue(),
    ]);
    expect(again.stages[0]?.pictures[0]?.meta['coverage']).toBeLessThan(0.3);
    const [r = 0, , b = 0] = await meanOf(again.picture.bytes, 0.1, 0.3, 0.06);
    expect(b - r).toBeGreaterThan(90);
  });

  it.each([
    ['an empty sheet', (): Promise<Buffer> => flat('#efece6'), /can be told from its background/],
    ['a text', async (): Promise<Buffer> => Buffer.from('hello'), /could not be read/],
    [
      'noise',
      async (): Promise<Buffer> => {
        const data = Buffer.from(
          Uint8Array.from({ length: 400 * 400 * 3 }, (_, i) => Math.imul(i, 2654435761) >>> 24),
        );
        return sharp(data, { raw: { width: 400, height: 400, channels: 3 } })
          .png()
          .toBuffer();
      },
      /Send one garment/,
    ],
  ])('refuses %s as bad input and says what to send', async (_, bytes, message) => {
    const pending = render('background-swap-with-spec', spec, [
      { name: 'source_image', bytes: await bytes() },
    ]);
    await expect(pending).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringMatching(message),
    });
  });
});

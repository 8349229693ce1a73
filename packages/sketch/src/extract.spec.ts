import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import type { EngineImage, EngineStage, RenderRequest, RenderResult } from '@atelier/engine';
import { make, asInput, garment } from './garments/sheet.fixture.js';
import { blank, flatLay, known, photograph, sample, worn } from './reading/photographs.fixture.js';
import { SketchEngine } from './sketch-engine.js';

const engine = new SketchEngine();

const request = (
  picture: Buffer | EngineImage | undefined,
  context: object = {},
  more: Partial<RenderRequest> = {},
): RenderRequest => ({
  workflow: 'extract',
  body: { extraction_context: context },
  inputs: picture
    ? [known('trial_image', Buffer.isBuffer(picture) ? { name: '', bytes: picture } : picture)]
    : [],
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

/** A drawn person in a jumper and trousers. */
const outfit = async (): Promise<EngineImage> => {
  const person = await make('model-generator', { generation_stage: 'full_body', gender: 'FEMALE' }, [], {
    seed: 2,
  });
  const things = [await garment('t_shirt', '#1fa34a'), await garment('trousers', '#2438c8')];
  const items = ['top', 'bottom'].map((category) => ({ trial_item_category: category }));
  const inputs = [
    asInput('user_image', person.picture),
    ...things.map(({ picture }, i) => asInput(`item-${i}`, picture)),
  ];
  return asInput('trial_image', (await make('try-on', { items }, inputs)).picture);
};
let made: ReturnType<typeof outfit> | undefined;
const inOutfit = (): Promise<EngineImage> => (made ??= outfit());

/** Share of a picture's opaque pixels whose channels are each near the wanted colour. */
async function shareOf(bytes: Buffer | undefined, wanted: readonly number[]): Promise<number> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  let [like, all] = [0, 0];
  for (let i = 0; i < info.width * info.height; i++) {
    if ((data[i * 4 + 3] ?? 0) < 200) continue;
    all++;
    if (wanted.every((v, c) => Math.abs((data[i * 4 + c] ?? 0) - v) < 90)) like++;
  }
  return like / all;
}

describe('extract', () => {
  it('lifts each garment of a drawn figure out, largest first, after a map of the regions', async () => {
    const { pictures, stages } = await run(request(await inOutfit()));
    expect(stages.map((one) => [one.stage, one.pictures[0]?.kind])).toEqual([['regions', 'region_map']]);
    const metas = pictures.map((one) => one.meta as { slot: string; bounding_box: number[] });
    expect(metas.map((one) => one.slot)).toEqual(['upper', 'lower']);
    for (const picture of pictures) {
      expect(picture.kind).toBe('extracted_garment');
      const { width, height, hasAlpha } = await sharp(picture.bytes).metadata();
      expect([width, height, hasAlpha]).toEqual([picture.width, picture.height, true]);
    }
    const [left = 0, top = 0, right = 0, bottom = 0] = metas[1]?.bounding_box ?? [];
    expect(left > 0.35 && right < 0.65 && top > 0.3 && bottom < 0.95 && left < right && top < bottom).toBe(
      true,
    );
  });

  it('leaves nothing of the person, of the ground and of the other garment in a garment that it drew', async () => {
    const { pictures } = await run(request(await inOutfit()));
    expect(await shareOf(pictures[1]?.bytes, [0x24, 0x38, 0xc8])).toBeGreaterThan(0.8);
    expect(await shareOf(pictures[0]?.bytes, [0x1f, 0xa3, 0x4a])).toBeGreaterThan(0.8);
    // If the outline is known, its quality is not measured.
    expect(pictures.map(({ meta }) => meta['confidence'])).toEqual([undefined, undefined]);
  });

  it.each([
    'astronaut',
    'between-chairs',
    'bow-tie',
    'curls-and-hood',
    'fair-hair',
    'jersey',
    'long-braids',
    'looking-down',
    'scarf',
    'skateboarder',
    'three-standing',
    'two-walking',
    'nobody-office',
  ])('cuts nothing out of the photograph %s, and says what to send', async (name) => {
    const pending = run(request(await photograph(name)));
    await expect(pending).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringMatching(/on a plain background/),
    });
  });

  it('refuses what somebody wears whose head the picture cuts off', async () => {
    const photo = sharp(await photograph('jersey')).extract({ left: 40, top: 430, width: 595, height: 470 });
    await expect(run(request(await photo.png().toBuffer()))).rejects.toMatchObject({
      errorClass: 'bad_input',
    });
  });

  it('takes a drawn person who was uploaded for a person, since nothing tells where the garment lies', async () => {
    const { bytes } = await worn('garment-photograph', 37);
    await expect(run(request(bytes))).rejects.toThrow(/shows a person/);
  });

  it('takes letters that lie on the picture for no garment', async () => {
    const { width, height } = await sharp(await sample('jumper')).metadata();
    const letters = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><text x="${width * 0.05}" y="${height * 0.97}"
      font-family="sans-serif" font-weight="bold" font-size="${height * 0.07}" fill="#777">SAMPLE SHOP</text></svg>`;
    const marked = await sharp(await sample('jumper'))
      .composite([{ input: Buffer.from(letters) }])
      .png()
      .toBuffer();
    const { pictures } = await run(request(marked));
    expect(pictures.map(({ meta }) => meta['slot'])).toEqual(['upper']);
  });

  it.each(['#e8c4a8', '#c9a27c', '#8b5a3c'])(
    'takes a laid out shirt of the colour of skin, %s',
    async (cloth) => {
      for (const paper of ['#f1efea', '#202124'])
        expect((await run(request(await flatLay(cloth, paper)))).pictures).toHaveLength(1);
    },
  );

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
      (await run(request(await inOutfit(), { product_name: name }))).pictures.map((one) => one.label);
    expect(await named('Ribbed tank top')).toEqual(['Ribbed tank top', 'Lower garment']);
    expect(await named('Silk scarf dress')).not.toContain('Silk scarf dress');
    const { pictures } = await run(request(await sample('jacket')));
    expect(pictures[0]?.label).toBe('Outer garment');
  });

  it.each([
    [1, 1],
    [99, 2],
  ])('with max_items %d gives %d of two garments', async (wanted, count) => {
    const { pictures } = await run(request(await inOutfit(), { max_items: wanted }));
    expect(pictures).toHaveLength(count);
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
    ['a blank sheet', blank(), /on a plain background/],
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

import { describe, expect, it } from 'vitest';
import type { RenderRequest } from '@atelier/engine';
import sharp from 'sharp';
import { photograph, pictureOf } from './people.fixture.js';
import { PhotoEngine, type Painter } from './photo-engine.js';

const GREY = { r: 200, g: 200, b: 200, alpha: 1 };

/** A grey sheet, and the place that it was asked for. */
const plain: Painter = {
  sizeOf: (_, { width, height }) => ({ width, height, facts: {} }),
  groundFor: async (_, { width, height }, { x }) => ({
    picture: {
      data: await sharp({ create: { width, height, channels: 4, background: GREY } })
        .raw()
        .toBuffer(),
      width,
      height,
    },
    x,
    facts: { backdrop: 'grey' },
  }),
  marked: (picture) => Promise.resolve(picture),
};

const engine = new PhotoEngine(plain);
const requestWith = (bytes: Buffer): RenderRequest => ({
  workflow: 'background-swap-with-spec',
  body: {},
  inputs: [{ name: 'source_image', bytes }],
  seed: 1,
  displayName: '',
  testMark: false,
});

async function swapped(bytes: Buffer): Promise<Buffer> {
  const { pictures } = await engine.render(requestWith(bytes), {
    signal: new AbortController().signal,
    garmentKind: () => undefined,
    onStage: () => Promise.resolve(),
  });
  if (!pictures[0]) throw new Error('a picture was expected');
  return pictures[0].bytes;
}

/** Mean luma of a rectangle in shares of the picture. */
async function lumaAt(bytes: Buffer, [left, top, right, bottom]: readonly [number, number, number, number]) {
  const { data, width, height } = await pictureOf(bytes);
  let [sum, count] = [0, 0];
  for (let y = Math.floor(top * height); y < bottom * height; y++)
    for (let x = Math.floor(left * width); x < right * width; x++, count++) {
      const i = (y * width + x) * 4;
      sum += 0.2126 * (data[i] ?? 0) + 0.7152 * (data[i + 1] ?? 0) + 0.0722 * (data[i + 2] ?? 0);
    }
  return sum / count;
}

describe('PhotoEngine', () => {
  it('gives the same bytes for the same request', async () => {
    const bytes = await photograph('bow-tie');
    expect(await swapped(Buffer.from(bytes))).toEqual(await swapped(Buffer.from(bytes)));
  });

  it('puts the new ground where the old one was, and leaves the face alone', async () => {
    const bytes = await photograph('jersey');
    const after = await swapped(bytes);
    expect(await lumaAt(after, [0.02, 0.02, 0.3, 0.4])).toBeCloseTo(200, -1);
    const face = [0.46, 0.3, 0.56, 0.4] as const;
    expect(Math.abs((await lumaAt(after, face)) - (await lumaAt(bytes, face)))).toBeLessThan(25);
  });

  it('stands a whole figure on its shadow', async () => {
    const after = await swapped(await photograph('skateboarder'));
    // Beside the shoes it is darker than where nothing stands.
    expect(await lumaAt(after, [0.4, 0.88, 0.6, 0.91])).toBeLessThan(188);
    expect(await lumaAt(after, [0.02, 0.88, 0.15, 0.91])).toBeGreaterThan(197);
  });

  it('refuses a picture of nobody, and says what to send', async () => {
    await expect(swapped(await photograph('nobody-car'))).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringMatching(/^No person was found in source_image\. Send /),
    });
  });

  it('refuses a person who cannot be cut out cleanly', async () => {
    await expect(swapped(await photograph('looking-down'))).rejects.toMatchObject({
      errorClass: 'bad_input',
    });
  });

  it('refuses several people: nothing tells whether the ground between them is in the mask', async () => {
    await expect(swapped(await photograph('three-standing'))).rejects.toMatchObject({
      errorClass: 'bad_input',
      message: expect.stringMatching(
        /^source_image shows several people\. .*send a photograph of a single person/,
      ),
    });
  });

  it('leaves pictures that say where their subject is to who drew them', async () => {
    const bytes = await photograph('bow-tie');
    const request = requestWith(bytes);
    expect(await engine.serves(request)).toBe(true);
    const drawn = [{ name: 'source_image', bytes, meta: { silhouettes: { subject: [] } } }];
    expect(await engine.serves({ ...request, inputs: drawn })).toBe(false);
    expect(await engine.serves({ ...request, workflow: 'try-on' })).toBe(false);
  });
});

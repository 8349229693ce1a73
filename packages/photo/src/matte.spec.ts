import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { cutOut, type CutOut } from './matte.js';
import { opened } from './people.fixture.js';
import { findPerson } from './person.js';
import type { Picture } from './raster.js';

const pause = (): Promise<void> => Promise.resolve();

async function cut(picture: Picture): Promise<CutOut> {
  const person = await findPerson(picture);
  if (!person) throw new Error('somebody was expected');
  return cutOut(picture, person, pause);
}

/** The cut-out at its place on a ground of one colour. */
async function before(
  { picture, box }: CutOut,
  { width, height }: Picture,
  ground: string,
): Promise<Picture> {
  const { data } = await sharp({ create: { width, height, channels: 4, background: ground } })
    .composite([
      {
        input: Buffer.from(picture.data),
        raw: { width: picture.width, height: picture.height, channels: 4 },
        left: box.left,
        top: box.top,
      },
    ])
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width, height };
}

const alphaPlane = ({ picture, box }: CutOut, { width, height }: Picture): Float32Array => {
  const plane = new Float32Array(width * height);
  for (let y = 0; y < picture.height; y++)
    for (let x = 0; x < picture.width; x++)
      plane[(y + box.top) * width + x + box.left] =
        (picture.data[(y * picture.width + x) * 4 + 3] ?? 0) / 255;
  return plane;
};

describe('cutOut', () => {
  it.each(['long-braids', 'fair-hair', 'striped-shirt', 'skateboarder'])(
    'finds the same contour of %s again before another ground',
    async (name) => {
      const photo = await opened(name);
      const first = await cut(photo);
      const moved = await before(first, photo, '#2f6f9f');
      const [one, other] = [alphaPlane(first, photo), alphaPlane(await cut(moved), photo)];
      const area = one.reduce((sum, v) => sum + v, 0);
      const off = one.reduce((sum, v, i) => sum + Math.abs(v - (other[i] ?? 0)), 0);
      expect(off / area).toBeLessThan(0.06);
    },
  );

  it('leaves nothing of the old ground in the contour', async () => {
    const photo = await opened('jersey');
    const first = await cut(photo);
    // The background is so bright that any rest of it in the rim shows.
    const { picture, box } = await cut(await before(first, photo, '#00ff00'));
    let [green, count] = [0, 0];
    for (let i = 0; i < picture.width * picture.height; i++) {
      const [r = 0, g = 0, b = 0, a = 0] = picture.data.subarray(i * 4, i * 4 + 4);
      // The upper third: the shirt itself is green.
      if (a < 26 || a > 230 || i > picture.width * box.height * 0.33) continue;
      green += Math.max(0, g - Math.max(r, b));
      count++;
    }
    expect(count).toBeGreaterThan(50);
    expect(green / count).toBeLessThan(24);
  });

  it('keeps what was cut out before', async () => {
    const photo = await opened('curls-and-hood');
    const first = await cut(photo);
    const alone = await before(first, photo, '#00000000');
    const again = alphaPlane(await cut(alone), photo);
    const outside = alphaPlane(first, photo).filter((v, i) => v === 0 && (again[i] ?? 0) > 0.05).length;
    expect(outside).toBe(0);
  });
});

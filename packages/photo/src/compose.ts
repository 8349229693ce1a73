import sharp from 'sharp';
import type { Pause } from './matte.js';
import type { Placement, Size } from './placement.js';
import { boxMean, resized, type Picture, type Plane } from './raster.js';

/** A cut-out with its place on the new sheet. It is read by the sheet's coordinates. */
interface Laid {
  readonly picture: Picture;
  readonly left: number;
  readonly top: number;
}

type Colour = readonly [red: number, green: number, blue: number];

const clamp = (v: number, low: number, high: number): number => Math.min(high, Math.max(low, v));

const alphaAt = ({ picture, left, top }: Laid, x: number, y: number): number => {
  const [u, v] = [x - left, y - top];
  if (u < 0 || v < 0 || u >= picture.width || v >= picture.height) return 0;
  return (picture.data[(v * picture.width + u) * 4 + 3] ?? 0) / 255;
};

/** Mean colour of a picture, each pixel weighted by its opacity; `rows` are shares of its height. */
function meanOf({ data, width, height }: Picture, [from, to]: readonly [number, number] = [0, 1]): Colour {
  const sums = [0, 0, 0, 1e-6];
  for (let i = Math.floor(from * height) * width; i < Math.floor(to * height) * width; i += 3) {
    const a = data[i * 4 + 3] ?? 0;
    for (let c = 0; c < 3; c++) sums[c] = (sums[c] ?? 0) + (data[i * 4 + c] ?? 0) * a;
    sums[3] = (sums[3] ?? 0) + a;
  }
  const [r = 0, g = 0, b = 0, weight = 1] = sums;
  return [r / weight, g / weight, b / weight];
}

const luma = ([r, g, b]: Colour): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/**
 * How far a person takes on the brightness and colour of the new place: enough to fit in, too little to change
 * the skin.
 */
const [BRIGHTNESS, TINT] = [0.16, 0.14];

/** Factors of red, green and blue that bring a person nearer to the light of a place. */
function gainsFor(person: Picture, ground: Picture): Colour {
  const [own, place] = [meanOf(person), meanOf(ground)];
  const level = clamp(((luma(place) + 30) / (luma(own) + 30)) ** BRIGHTNESS, 0.86, 1.12);
  const gain = (c: 0 | 1 | 2): number =>
    level * clamp(((place[c] + 25) / (luma(place) + 25)) ** TINT, 0.9, 1.1);
  return [gain(0), gain(1), gain(2)];
}

/** Which side the light of a place comes from: −1 left to 1 right. */
function sideOf({ data, width, height }: Picture): number {
  const sums = [0, 0];
  for (let y = 0; y < height * 0.7; y += 4)
    for (let x = 0; x < width; x += 4) {
      const i = (y * width + x) * 4;
      const side = x < width / 2 ? 0 : 1;
      sums[side] = (sums[side] ?? 0) + luma([data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0]);
    }
  const [left = 1, right = 1] = sums;
  return clamp(((right - left) / Math.max(1, right + left)) * 4, -1, 1);
}

/** Repeated means blur almost as a Gaussian does. */
const blurred = (plane: Plane, reach: number): Plane => boxMean(boxMean(plane, reach), reach);

/**
 * How much of the ground's light the person blocks, 0–1: a dark seam right under the soles, and a soft shadow
 * that lies on the ground away from the light.
 */
function shadowOf(laid: Laid, { width, height }: Size, side: number): Plane {
  const { picture, left, top } = laid;
  const soles = top + picture.height;
  const unit = picture.height / 100;
  const empty = (): Plane => ({ data: new Float32Array(width * height), width, height });
  const [seam, cast] = [empty(), empty()];
  const flat = 0.13;
  for (
    let x = Math.max(0, left - Math.round(40 * unit));
    x < Math.min(width, left + picture.width + 40 * unit);
    x++
  ) {
    for (let y = Math.max(0, Math.floor(soles - 16 * unit)); y < Math.min(height, soles + 3 * unit); y++) {
      // A point that lies some distance behind the soles gets the shadow of the part of the person at that
      // height.
      const high = (soles - y) / flat;
      const from = Math.round(x + side * high * 0.55);
      cast.data[y * width + x] =
        alphaAt(laid, from, Math.round(soles - 1 - high)) * Math.exp(-high / (55 * unit));
      const under = Math.round(y - 0.9 * unit);
      if (y > soles - 5 * unit) seam.data[y * width + x] = alphaAt(laid, x, under);
    }
  }
  const soft = blurred(cast, Math.max(1, Math.round(1.6 * unit))).data;
  const wide = blurred(seam, Math.max(1, Math.round(2.2 * unit))).data;
  const sharpSeam = blurred(seam, Math.max(1, Math.round(0.45 * unit))).data;
  const data = soft.map((v, i) =>
    clamp(0.34 * v + 0.4 * (wide[i] ?? 0) + 0.42 * (sharpSeam[i] ?? 0), 0, 0.72),
  );
  return { data, width, height };
}

/** The background's light spills over the person's rim; without it a cut-out looks pasted. */
const SPILL = 0.3;

/** Puts a cut-out on a background, with the background's light and a shadow. */
export async function composed(
  ground: Picture,
  cut: Picture,
  placement: Placement,
  pause: Pause,
): Promise<Picture> {
  const { width, height } = ground;
  const { scale, stands } = placement;
  const person = await resized(
    cut,
    Math.max(1, Math.round(cut.width * scale)),
    Math.max(1, Math.round(cut.height * scale)),
  );
  const laid: Laid = { picture: person, left: Math.round(placement.left), top: Math.round(placement.top) };
  const gains = gainsFor(person, ground);
  const side = sideOf(ground);
  const out = new Uint8Array(ground.data);
  if (stands) {
    const shadow = shadowOf(laid, ground, side).data;
    for (let i = 0; i < shadow.length; i++) {
      const light = 1 - (shadow[i] ?? 0);
      for (let c = 0; c < 3; c++)
        out[i * 4 + c] = (out[i * 4 + c] ?? 0) * (light + (c === 2 ? (1 - light) * 0.05 : 0));
    }
  }
  await pause();
  const reach = Math.max(2, Math.round(height / 260));
  const spread = await sharp(ground.data, { raw: { width, height, channels: 4 } })
    .blur(Math.max(1, height / 90))
    .raw()
    .toBuffer();
  const alpha: Plane = {
    data: Float32Array.from(
      { length: person.width * person.height },
      (_, i) => (person.data[i * 4 + 3] ?? 0) / 255,
    ),
    width: person.width,
    height: person.height,
  };
  const inner = boxMean(alpha, reach).data;
  await pause();
  for (let v = Math.max(0, -laid.top); v < Math.min(person.height, height - laid.top); v++) {
    for (let u = Math.max(0, -laid.left); u < Math.min(person.width, width - laid.left); u++) {
      const i = v * person.width + u;
      const a = alpha.data[i] ?? 0;
      if (a < 0.004) continue;
      const o = ((v + laid.top) * width + u + laid.left) * 4;
      const turned = 1 + side * 0.05 * (u / person.width - 0.5);
      const rim = SPILL * clamp(1 - (inner[i] ?? 0), 0, 1);
      for (let c = 0; c < 3; c++) {
        const own = (person.data[i * 4 + c] ?? 0) * (gains[c] ?? 1) * turned;
        const behind = spread[o + c] ?? 0;
        const lit = own * (1 - rim) + Math.max(own, behind) * rim;
        out[o + c] = clamp(Math.round(lit * a + (out[o + c] ?? 0) * (1 - a)), 0, 255);
      }
    }
  }
  return { data: out, width, height };
}

import { guidedModel, type Guide, type LinearModel } from './guided-filter.js';
import type { Person } from './person.js';
import { boxMean, rgbOf, rowsOf, scaledPlane, type Box, type Picture, type Plane } from './raster.js';
import { sidesOf, smoothstep } from './sides.js';

/** A person lifted out of a picture. */
export interface CutOut {
  /**
   * The person alone with straight alpha, cropped to its bounds. The old background is removed from its
   * colours.
   */
  readonly picture: Picture;
  /** Where it was, pixels of the picture. */
  readonly box: Box;
}

/** Long side at which contours are learned; the result is applied at full size. */
const LEARNED_SIDE = 900;
/**
 * Long side at which the colours of both sides are estimated. They change slowly, so a small size is enough.
 */
const ESTIMATED_SIDE = 450;
const SMOOTHNESS = 8e-4;

const clamp01 = (v: number): number => (v < 0 ? 0 : v > 1 ? 1 : v);

const shrinkage = ({ width, height }: Picture, side: number): number =>
  Math.min(1, side / Math.max(width, height));

async function guideOf(picture: Picture, scale: number): Promise<Guide> {
  const all: Box = { left: 0, top: 0, width: picture.width, height: picture.height };
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const rgb = await rgbOf(picture, all, width, height);
  const plane = (c: number): Plane => {
    const data = new Float32Array(width * height);
    for (let i = 0; i < data.length; i++) data[i] = (rgb[i * 3 + c] ?? 0) / 255;
    return { data, width, height };
  };
  return [plane(0), plane(1), plane(2)];
}

/**
 * The mask as a linear function of the colours around each pixel: its contour moves to the picture's contours.
 */
async function guided(picture: Picture, mask: Plane, slack: number, pause: Pause): Promise<LinearModel> {
  const scale = shrinkage(picture, LEARNED_SIDE);
  const guide = await guideOf(picture, scale);
  await pause();
  const coarse = scaledPlane(mask, guide[0].width, guide[0].height);
  return guidedModel(guide, coarse, Math.max(3, Math.round(slack * scale)), SMOOTHNESS);
}

/** The estimates around each pixel of one row, at the picture's size. */
interface Around {
  /** The linear model's planes: red, green, blue, offset. */
  readonly model: readonly Float32Array[];
  readonly person: readonly Float32Array[];
  readonly ground: readonly Float32Array[];
  readonly trust: Float32Array;
  /** How sure the mask is that this is the person. */
  readonly sure: Float32Array;
}

/** How much of a pixel is the person: `x` is its place in the row, `colour` begins at `i`. */
function alphaOf(
  { model, person, ground, trust, sure }: Around,
  x: number,
  data: Uint8Array,
  i: number,
): number {
  const inside = sure[x] ?? 0;
  if (inside > 0.985) return 1;
  if (inside < 0.012) return 0;
  let [along, apart, soft] = [0, 1e-6, model[3]?.[x] ?? 0];
  for (let c = 0; c < 3; c++) {
    const v = (data[i + c] ?? 0) / 255;
    const [f, b] = [person[c]?.[x] ?? 0, ground[c]?.[x] ?? 0];
    soft += (model[c]?.[x] ?? 0) * v;
    along += (v - b) * (f - b);
    apart += (f - b) ** 2;
  }
  // Colours decide only along the contour. Well inside, a background colour is just a pattern of the clothes;
  // well outside, a person's colour is chance.
  const open = smoothstep(0.012, 0.16, inside) * (1 - smoothstep(0.8, 0.97, inside));
  const weight = (trust[x] ?? 0) * open;
  return smoothstep(0.06, 0.94, soft) * (1 - weight) + clamp01((along / apart) * 1.1 - 0.05) * weight;
}

/**
 * How much of each pixel is the person, and the person's own colour there. Along the contour the guided filter
 * decides. If both sides have a clear colour there, the pixel's position between the two colours decides
 * instead. Elsewhere the mask decides.
 * @param slack how far the mask's contour may be off, in pixels of the picture
 */
async function separated(picture: Picture, mask: Plane, slack: number, pause: Pause): Promise<Picture> {
  const { width, height, data } = picture;
  const linear = await guided(picture, mask, slack, pause);
  await pause();
  const scale = shrinkage(picture, ESTIMATED_SIDE);
  const colours = await guideOf(picture, scale);
  const reach = Math.max(2, Math.round(slack * scale));
  const certain = boxMean(scaledPlane(mask, colours[0].width, colours[0].height), reach);
  const sides = sidesOf(colours, certain, reach);
  await pause();
  const rows = (plane: Plane): ((y: number) => Float32Array) => rowsOf(plane, width, height);
  const [model, person, ground] = [linear.map(rows), sides.person.map(rows), sides.ground.map(rows)];
  const [trust, sure] = [rows(sides.trust), rows(certain)];
  const out = new Uint8Array(data);
  for (let y = 0; y < height; y++) {
    if (y % 256 === 255) await pause();
    const at = (planes: readonly ((y: number) => Float32Array)[]): Float32Array[] =>
      planes.map((row) => row(y));
    const around: Around = {
      model: at(model),
      person: at(person),
      ground: at(ground),
      trust: trust(y),
      sure: sure(y),
    };
    for (let x = 0, i = y * width * 4; x < width; x++, i += 4) {
      const alpha = alphaOf(around, x, data, i);
      out[i + 3] = Math.round((data[i + 3] ?? 255) * alpha);
      if (alpha > 0.995 || alpha < 0.004) continue;
      for (let c = 0; c < 3; c++) {
        const [f, b] = [around.person[c]?.[x] ?? 0, around.ground[c]?.[x] ?? 0];
        // The estimated colour is corrected by the pixel itself, as in Forte, "Approximate Fast Foreground
        // Colour Estimation", ICIP 2021.
        const colour = f + alpha * ((data[i + c] ?? 0) / 255 - alpha * f - (1 - alpha) * b);
        out[i + c] = Math.round(clamp01(colour) * 255);
      }
    }
  }
  return { data: out, width, height };
}

/** The bounds of the pixels that are not transparent. */
function boundsOf({ data, width, height }: Picture): Box {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0, i = 3; y < height; y++) {
    for (let x = 0; x < width; x++, i += 4) {
      if ((data[i] ?? 0) < 6) continue;
      if (x < left) left = x;
      if (x >= right) right = x + 1;
      if (y < top) top = y;
      bottom = y + 1;
    }
  }
  return right > left
    ? { left, top, width: right - left, height: bottom - top }
    : { left: 0, top: 0, width, height };
}

function cropped({ data, width }: Picture, box: Box): Picture {
  const out = new Uint8Array(box.width * box.height * 4);
  for (let y = 0; y < box.height; y++) {
    const from = ((y + box.top) * width + box.left) * 4;
    out.set(data.subarray(from, from + box.width * 4), y * box.width * 4);
  }
  return { data: out, width: box.width, height: box.height };
}

/** Called between two heavy steps, so that other work gets its turn. An error that it throws ends the work. */
export type Pause = () => Promise<void>;

/**
 * Lifts a person out of a picture: the contour refined at full size, the colours without the old background.
 */
export async function cutOut(picture: Picture, { mask, box }: Person, pause: Pause): Promise<CutOut> {
  // The model sees 256 pixels a side, and its contour is off by up to two and a half of them.
  const slack = (Math.max(box.width, box.height) / 256) * 2.6;
  // Where the model is unsure over a whole area, the mask is pushed towards 0 or 1, so that the area is not
  // half transparent.
  const decided = { ...mask, data: mask.data.map((v) => smoothstep(0.22, 0.78, v)) };
  const alone = await separated(picture, decided, slack, pause);
  const bounds = boundsOf(alone);
  return { picture: cropped(alone, bounds), box: bounds };
}

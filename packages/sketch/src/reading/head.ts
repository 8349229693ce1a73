import { within } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import type { Mask } from '../cutout/mask.js';
import { medianColour, skinCandidates, skinOfTone, type LabColour } from './skin.js';

/** The nearest whole place between 0 and `end`. */
const clipped = (v: number, end: number): number => (v < 0 ? 0 : v > end ? end : (v + 0.5) | 0);

/** Sums over rectangles in constant time. */
class Integral {
  private readonly table: Float64Array;

  constructor(
    values: ArrayLike<number>,
    readonly width: number,
    readonly height: number,
  ) {
    const stride = width + 1;
    this.table = new Float64Array(stride * (height + 1));
    for (let y = 0; y < height; y++) {
      let row = 0;
      for (let x = 0; x < width; x++) {
        row += values[y * width + x] ?? 0;
        this.table[(y + 1) * stride + x + 1] = (this.table[y * stride + x + 1] ?? 0) + row;
      }
    }
  }

  /** Mean over [left, right) × [top, bottom), clipped to the picture; 0 where nothing is left. */
  mean(left: number, top: number, right: number, bottom: number): number {
    const x0 = clipped(left, this.width);
    const x1 = clipped(right, this.width);
    const y0 = clipped(top, this.height);
    const y1 = clipped(bottom, this.height);
    if (x1 <= x0 || y1 <= y0) return 0;
    const stride = this.width + 1;
    const at = (x: number, y: number): number => this.table[y * stride + x] ?? 0;
    return (at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0)) / ((x1 - x0) * (y1 - y0));
  }
}

/** A head found in a photograph, in pixels of the small picture. */
export interface Head {
  /** Middle of the face. */
  readonly x: number;
  readonly y: number;
  /** Breadth of the face between the cheeks. */
  readonly breadth: number;
  /** Highest point of hair or hat over the face. */
  readonly crown: number;
  readonly chin: number;
  /** Height of the skull from chin to crown, without towering hair: the unit that bodies are measured in. */
  readonly unit: number;
  readonly tone: LabColour;
  /** 0–1. */
  readonly confidence: number;
}

interface Fields {
  readonly skin: Integral;
  readonly inside: Integral;
  readonly lab: readonly [Integral, Integral, Integral];
  readonly squaredL: Integral;
  readonly mask: Mask;
  readonly width: number;
  readonly height: number;
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Faces are this much taller than broad, from the brows to the chin. */
const FACE_ASPECT = 1.15;

const clamp01 = (v: number): number => within(v, 0, 1);

/** ΔE between the mean colours of two boxes. */
function apart(fields: Fields, one: Box, two: Box): number {
  return Math.hypot(...fields.lab.map((plane) => plane.mean(...one) - plane.mean(...two)));
}

/** The unbroken stretch of subject that a pixel lies in, on its own row. */
function stretch({ data, width }: Mask, x: number, y: number): [from: number, to: number] {
  const row = Math.round(y) * width;
  let [from, to] = [Math.round(x), Math.round(x)];
  while (from > 0 && data[row + from - 1]) from--;
  while (to < width - 1 && data[row + to + 1]) to++;
  return [from, to];
}

/** Heads are narrow and stand over the middle of what they belong to: a collar's corner is not. */
function standsFree(mask: Mask, x: number, y: number, half: number): boolean {
  const [from, to] = stretch(mask, x, y);
  return to - from < half * 4.6 && Math.abs((from + to) / 2 - x) < half * 0.8;
}

/** Standard deviation of lightness in a box. */
function spreadOf({ lab, squaredL }: Fields, box: Box): number {
  const mean = lab[0].mean(...box);
  return Math.sqrt(Math.max(0, squaredL.mean(...box) - mean * mean));
}

/** How much a box looks like a face: skin inside, something else above and beside it, eyes darker than cheeks. */
function score(fields: Fields, x: number, y: number, half: number, crown: number): number {
  const tall = half * FACE_ASPECT;
  const face: Box = [x - half * 0.72, y - tall * 0.75, x + half * 0.72, y + tall * 0.75];
  const skin = fields.skin.mean(...face);
  const inside = fields.inside.mean(...face);
  if (skin < 0.62 || inside < 0.9 || !standsFree(fields.mask, x, y, half)) return 0;
  const spread = spreadOf(fields, face);
  // Eyes, brows and lips: a patch of even colour is cloth.
  if (spreadOf(fields, [x - half * 0.55, y - tall * 0.5, x + half * 0.55, y + tall * 0.55]) < 2.2) return 0;
  const even = 1 - 0.6 * clamp01((spread - 12) / 16);
  const above: Box = [x - half * 0.6, y - tall * 1.65, x + half * 0.6, y - tall * 1.2];
  const left: Box = [x - half * 1.55, y - tall * 0.7, x - half * 1.12, y + tall * 0.5];
  const right: Box = [x + half * 1.12, y - tall * 0.7, x + half * 1.55, y + tall * 0.5];
  const topped = clamp01((apart(fields, face, above) - 5) / 16);
  const framed = clamp01((Math.min(apart(fields, face, left), apart(fields, face, right)) - 5) / 14);
  const eyes: Box = [x - half * 0.62, y - tall * 0.42, x + half * 0.62, y - tall * 0.02];
  const cheeks: Box = [x - half * 0.62, y + tall * 0.02, x + half * 0.62, y + tall * 0.36];
  const darker = fields.lab[0].mean(...cheeks) - fields.lab[0].mean(...eyes);
  const looks = clamp01((darker + 0.5) / 5);
  // Hair and skull above a face are seldom more than one and a half faces high.
  const reach = (y - tall - crown) / (2 * tall);
  const high = reach < -0.25 || reach > 1.5 ? 0 : 1 - 0.35 * Math.max(0, reach - 0.7);
  // Below a face there is a neck, and shoulders that are broader.
  const chest: Box = [x - half * 1.5, y + tall * 1.7, x + half * 1.5, y + tall * 2.6];
  const body = y + tall * 1.7 > fields.height ? 0.5 : clamp01(fields.inside.mean(...chest) * 1.3);
  return skin * high * even * (0.5 + 0.5 * body) * (0.34 * topped + 0.36 * framed + 0.3 * looks);
}

/** The first row from above in which the subject fills a quarter of a column about `x`. */
function crownAt(inside: Integral, x: number, half: number): number {
  for (let y = 0; y < inside.height; y++) if (inside.mean(x - half, y, x + half, y + 1) > 0.25) return y;
  return inside.height;
}

interface Candidate {
  readonly x: number;
  readonly y: number;
  readonly half: number;
  readonly crown: number;
  readonly score: number;
}

function best(fields: Fields): Candidate | undefined {
  const { width, height } = fields;
  let found: Candidate | undefined;
  let most = 0;
  for (let half = Math.max(4, width * 0.016); half < width * 0.26; half *= 1.13) {
    const step = Math.max(1, half / 4);
    for (let x = width * 0.12; x < width * 0.88; x += step) {
      const crown = crownAt(fields.inside, x, half);
      const last = Math.min(height, crown + half * FACE_ASPECT * 4.2);
      for (let y = crown + half * 0.6; y < last; y += step) {
        const value = score(fields, x, y, half, crown);
        // A larger face that is as good is likelier: a cheek alone also is a patch of skin.
        const weighed = value * (1 + 0.35 * Math.log(half));
        if (value > 0 && weighed > most) {
          most = weighed;
          found = { x, y, half, crown, score: value };
        }
      }
    }
  }
  return found;
}

/** From the first to the last pixel of skin near the middle of a face, on one row; gaps of lips and eyes are bridged. */
function skinSpan(skin: Uint8Array, mask: Mask, x: number, row: number, reach: number): number {
  const gap = reach * 0.2;
  const edge = (step: 1 | -1): number => {
    let last = x;
    for (let i = Math.round(x); Math.abs(i - x) <= reach && Math.abs(i - last) <= gap; i += step) {
      const at = row * mask.width + i;
      if (i < 0 || i >= mask.width) break;
      if (skin[at] && mask.data[at]) last = i;
    }
    return Math.abs(last - x);
  };
  return edge(1) + edge(-1);
}

/** The breadth between the cheeks: what was found may sit on a part of the face. */
function faceBreadth(skin: Uint8Array, mask: Mask, { x, y, half }: Candidate): number {
  const rows = Array.from({ length: 15 }, (_, k) => Math.round(y + half * (k / 14 - 0.4)));
  const spans = rows.map((row) => skinSpan(skin, mask, x, row, half * 1.7)).sort((p, q) => p - q);
  return Math.min(half * 2.8, Math.max(half * 1.6, spans[9] ?? half * 2));
}

/** The face's own colour: cheeks and nose, below the eyes. */
function faceTone(planes: LabPlanes, skin: Uint8Array, { x, y, half }: Candidate): LabColour | undefined {
  const chosen: number[] = [];
  for (let row = Math.round(y - half * 0.1); row < y + half * 0.7; row++) {
    for (let i = Math.round(x - half * 0.6); i < x + half * 0.6; i++) {
      if (skin[row * planes.width + i]) chosen.push(row * planes.width + i);
    }
  }
  return medianColour(planes, chosen);
}

/** Where the face ends below: the skin narrows to the neck, or ends in cloth. Undefined where it goes on as broad. */
function chinOf(
  skin: Uint8Array,
  mask: Mask,
  { x, y, half }: Candidate,
  breadth: number,
): number | undefined {
  const last = Math.min(mask.height - 1, y + Math.max(half, breadth / 2) * 2.1);
  let narrow = 0;
  for (let row = Math.round(y + half * 0.55); row < last; row++) {
    narrow = skinSpan(skin, mask, x, row, breadth * 0.8) < breadth * 0.62 ? narrow + 1 : 0;
    // Lips are narrow as well, but the chin comes after them.
    if (narrow > breadth * 0.2) return row - narrow + 1;
  }
  if (y + half * 1.6 >= mask.height) return mask.height - 1;
  return hasNeck(mask, x, y, half) ? Math.round(y + breadth * 0.62) : undefined;
}

/** A beard hides where the skin narrows, but the outline still does. */
function hasNeck(mask: Mask, x: number, y: number, half: number): boolean {
  const spanAt = (row: number): number => {
    const [from, to] = stretch(mask, x, Math.min(mask.height - 1, row));
    return to - from;
  };
  const own = spanAt(y);
  const neck = Math.min(...Array.from({ length: 10 }, (_, k) => spanAt(y + half * (1 + k / 6))));
  const shoulders = Math.max(...Array.from({ length: 10 }, (_, k) => spanAt(y + half * (2.2 + k / 4))));
  return own < half * 4 && neck < own * 0.78 && shoulders > neck * 1.6;
}

/** Something is worn below a chin, unless the picture ends there: the broad patch over a hem is a shirt, not a face. */
function hasTrunk({ inside, height }: Fields, x: number, chin: number, breadth: number): boolean {
  const [top, bottom] = [chin + breadth * 0.3, chin + breadth];
  return top >= height - 2 || inside.mean(x - breadth * 0.3, top, x + breadth * 0.3, bottom) > 0.5;
}

/**
 * Looks for a head at the upper end of the subject.
 * @returns undefined for garments without a wearer, and for people cropped below the face
 */
export function findHead(planes: LabPlanes, mask: Mask): Head | undefined {
  const { l, a, b, width, height } = planes;
  const skin = skinCandidates(planes);
  const fields: Fields = {
    skin: new Integral(skin, width, height),
    inside: new Integral(mask.data, width, height),
    squaredL: new Integral(
      l.map((v) => v * v),
      width,
      height,
    ),
    mask,
    lab: [new Integral(l, width, height), new Integral(a, width, height), new Integral(b, width, height)],
    width,
    height,
  };
  const found = best(fields);
  if (!found || found.score < 0.47) return undefined;
  const tone = faceTone(planes, skin, found);
  if (!tone) return undefined;
  const own = skinOfTone(planes, tone, 1.6);
  const breadth = faceBreadth(own, mask, found);
  const chin = chinOf(own, mask, found, breadth);
  if (chin === undefined || !hasTrunk(fields, found.x, chin, breadth)) return undefined;
  return {
    x: found.x,
    y: found.y,
    breadth,
    crown: found.crown,
    chin,
    unit: breadth * 1.5,
    tone,
    confidence: Math.round(clamp01((found.score - 0.3) / 0.4) * 100) / 100,
  };
}

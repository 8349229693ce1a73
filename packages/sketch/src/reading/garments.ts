import { abs, floor, hypot } from './arithmetic.js';
import { components, close, open, select, type Mask } from '../cutout/mask.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import { trustIn } from './garment-confidence.js';
import { colourGroups } from './kmeans.js';
import type { LabColour } from './skin.js';
import type { Wearer } from './wearer.js';

const SLOTS = ['upper', 'lower', 'one_piece', 'outer', 'footwear', 'bag', 'headwear', 'accessory'] as const;
export type Slot = (typeof SLOTS)[number];

/** One piece of clothing as a region of the small picture. */
export interface GarmentRegion {
  readonly slot: Slot;
  readonly mask: Mask;
  /** Share of the photograph, 0–1. */
  readonly areaShare: number;
  /** 0–1: how clearly it is set off from what is around it. */
  readonly confidence: number;
}

const GROUPS = 8;
/** Total variation between two zones' colours from which they are two garments. */
const ANOTHER_GARMENT = 0.55;

type Shares = Float64Array;

/** Share of each colour group among the chosen pixels. */
function sharesOf(groups: Int8Array, wanted: (i: number) => boolean): { shares: Shares; count: number } {
  const shares = new Float64Array(GROUPS);
  let count = 0;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? -1;
    if (group < 0 || !wanted(i)) continue;
    shares[group] = (shares[group] ?? 0) + 1;
    count++;
  }
  return { shares: shares.map((v) => v / Math.max(1, count)), count };
}

const variation = (p: Shares, q: Shares): number =>
  p.reduce((sum, v, k) => sum + abs(v - (q[k] ?? 0)), 0) / 2;

const shareOf = ({ data }: Mask): number => data.reduce((sum, v) => sum + v, 0) / data.length;

interface Body {
  readonly wearer: Wearer;
  readonly groups: Int8Array;
  readonly centres: readonly LabColour[];
  readonly width: number;
  readonly height: number;
  /** Height below the chin, in head units. */
  readonly v: (i: number) => number;
  /** Distance from the middle line, in head units; `off` is negative on the picture's left. */
  readonly u: (i: number) => number;
  readonly off: (i: number) => number;
  /** Last row of the person, and whether the picture ends there. */
  readonly bottom: number;
  readonly cropped: boolean;
}

function bodyOf(planes: LabPlanes, subject: Mask, wearer: Wearer): Body {
  const { width, height } = subject;
  const { head, cloth } = wearer;
  const bottom = floor(subject.data.lastIndexOf(1) / width);
  return {
    wearer,
    ...colourGroups(planes, cloth.data, GROUPS),
    width,
    height,
    v: (i) => (floor(i / width) - head.chin) / head.unit,
    u: (i) => abs((i % width) - head.x) / head.unit,
    off: (i) => ((i % width) - head.x) / head.unit,
    bottom,
    cropped: bottom >= height - 3,
  };
}

/** Shoes: what is worn within the lowest part of a whole person, as far as its colours are not those of the leg above. */
function footwearOf(body: Body): Uint8Array {
  const { groups, width, height, bottom, wearer } = body;
  const data = new Uint8Array(width * height);
  const tall = bottom - wearer.head.chin;
  if (body.cropped || tall < wearer.head.unit * 4.5) return data;
  const row = (i: number): number => (bottom - floor(i / width)) / tall;
  const shoe = sharesOf(groups, (i) => row(i) < 0.03 && row(i) >= 0);
  const leg = sharesOf(groups, (i) => row(i) > 0.12 && row(i) < 0.3);
  for (let i = 0; i < data.length; i++) {
    const group = groups[i] ?? -1;
    if (group < 0 || row(i) > 0.1 || row(i) < 0) continue;
    const foot = shoe.shares[group] ?? 0;
    data[i] = leg.count < 40 || foot > (leg.shares[group] ?? 0) * 1.2 ? 1 : 0;
  }
  // Shoes of the trousers' colour are set off from them by bare ankles.
  const { labels, list } = components(wearer.cloth, 1);
  const low = new Set(list.map((c) => c.label));
  for (let i = 0; i < labels.length; i++) if (row(i) > 0.12) low.delete(labels[i] ?? 0);
  return data.map((v, i) => (v || low.has(labels[i] ?? 0) ? 1 : 0));
}

/** Where the colours along the body change most, in head units below the chin, and by how much. */
function waistOf(body: Body, cloth: (i: number) => boolean): { at: number; change: number } {
  const step = 0.1;
  const rows = Array.from({ length: 95 }, () => new Float64Array(GROUPS));
  for (let i = 0; i < body.groups.length; i++) {
    const group = body.groups[i] ?? -1;
    const row = rows[floor(body.v(i) / step)];
    if (group >= 0 && row && body.u(i) < 1 && cloth(i)) row[group] = (row[group] ?? 0) + 1;
  }
  const sum = (from: number, to: number): Shares => {
    const total = new Float64Array(GROUPS);
    rows.slice(from, to).forEach((row) => row.forEach((v, k) => (total[k] = (total[k] ?? 0) + v)));
    const count = total.reduce((s, v) => s + v, 0);
    return count > 12 ? total.map((v) => v / count) : total.fill(0);
  };
  let best = { at: 0, change: 0 };
  for (let k = 9; k < 62; k++) {
    const [above, below] = [sum(k - 8, k), sum(k, k + 8)];
    // Nothing below is an end, not a change.
    if (below.every((v) => v === 0) || above.every((v) => v === 0)) continue;
    const change = variation(above, below);
    if (change > best.change + 1e-9) best = { at: k * step, change };
  }
  return best;
}

/** Keeps what is at least that share of the largest piece; what is narrower than twice the radius is a scrap. */
function tidy(data: Uint8Array, width: number, height: number, least = 0.02, radius = 1): Mask {
  const mask = open(close({ data, width, height }, radius), radius);
  const { labels, list } = components(mask, 1);
  const most = Math.max(0, ...list.map((c) => c.area));
  return select(
    labels,
    list.filter((c) => c.area >= most * least).map((c) => c.label),
    mask,
  );
}

/** Splits cloth into two by which zone's colours a pixel has, and by which zone it lies in. */
function split(
  body: Body,
  cloth: (i: number) => boolean,
  belongs: (i: number) => number,
  first: Shares,
  second: Shares,
): [Uint8Array, Uint8Array] {
  const size = body.groups.length;
  const [one, two] = [new Uint8Array(size), new Uint8Array(size)];
  for (let i = 0; i < size; i++) {
    const group = body.groups[i] ?? -1;
    if (group < 0 || !cloth(i)) continue;
    const odds = Math.log(((first[group] ?? 0) + 0.02) / ((second[group] ?? 0) + 0.02)) + belongs(i);
    (odds > 0 ? one : two)[i] = 1;
  }
  return [one, two];
}

interface Layers {
  readonly outer: Uint8Array;
  readonly inner: Uint8Array;
  readonly change: number;
}

/** A shirt that shows between the fronts of what is worn over it. */
function layersOf(body: Body, upper: Uint8Array, to: number): Layers | undefined {
  const inUpper = (i: number): boolean => upper[i] === 1;
  const middle = sharesOf(
    body.groups,
    (i) => inUpper(i) && body.u(i) < 0.13 && body.v(i) > 0.35 && body.v(i) < 1.2,
  );
  const sideOf = (side: -1 | 1): ReturnType<typeof sharesOf> =>
    sharesOf(
      body.groups,
      (i) =>
        inUpper(i) &&
        body.off(i) * side > 0.26 &&
        body.off(i) * side < 0.62 &&
        body.v(i) > 0.6 &&
        body.v(i) < to,
    );
  const [left, right] = [sideOf(-1), sideOf(1)];
  if (middle.count < 20 || left.count < 30 || right.count < 30) return undefined;
  // Two fronts are of one cloth; what shows on one side only is an arm, or the ground between it and the trunk.
  if (variation(left.shares, right.shares) > 0.45) return undefined;
  const sides = left.shares.map((v, k) => (v + (right.shares[k] ?? 0)) / 2);
  const change = Math.min(...[left, right].map(({ shares }) => variation(middle.shares, shares)));
  if (change < 0.6) return undefined;
  const [inner, outer] = split(body, inUpper, (i) => 2.2 - 6 * body.u(i), middle.shares, sides);
  const mask = tidy(inner, body.width, body.height, 0.2);
  const size = upper.reduce((sum, v) => sum + v, 0);
  const area = mask.data.reduce((sum, v) => sum + v, 0);
  if (area < size * 0.045) return undefined;
  return { inner: mask.data, outer: outer.map((v, i) => (v || (inner[i] && !mask.data[i]) ? 1 : 0)), change };
}

/** Something carried: it hangs beside the body, is no mere edge or shadow, and has a colour that nothing worn has. */
function bagOf(planes: LabPlanes, body: Body, cloth: (i: number) => boolean): Uint8Array | undefined {
  const { groups, centres, width, height } = body;
  const { unit } = body.wearer.head;
  const worn = sharesOf(groups, (i) => cloth(i) && body.u(i) < 0.5).shares;
  const foreign = centres.map((centre, k) =>
    centres.every((other, j) => {
      if (j === k || (worn[j] ?? 0) < 0.05) return (worn[k] ?? 0) < 0.05;
      const hue = hypot(centre[1] - other[1], centre[2] - other[2]);
      return hue > 11 || abs(centre[0] - other[0]) > 38;
    }),
  );
  const data = new Uint8Array(groups.length);
  for (let i = 0; i < data.length; i++) {
    const group = groups[i] ?? -1;
    const beside = body.u(i) > 0.4 && body.v(i) > 1.4 && body.v(i) < 5.5;
    if (group >= 0 && cloth(i) && beside && foreign[group]) data[i] = 1;
  }
  // Slivers along an arm vanish when they are opened.
  const mask = tidy(open({ data, width, height }, Math.round(unit * 0.1)).data, width, height, 0.5);
  const area = mask.data.reduce((sum, v) => sum + v, 0);
  // A stretch of wall between arm and trunk has no contour of its own.
  const sure = area > unit ** 2 * 0.3 && trustIn(mask, planes, { pieces: 1 }) > 0.6;
  return sure ? mask.data : undefined;
}

/** What a person wears, as regions; largest first. */
export function wornGarments(planes: LabPlanes, subject: Mask, wearer: Wearer): GarmentRegion[] {
  const body = bodyOf(planes, subject, wearer);
  const { width, height } = body;
  const least = wearer.head.unit ** 2 * 0.06;
  const found: GarmentRegion[] = [];
  const add = (slot: Slot, data: Uint8Array, confidence: number): void => {
    const mask =
      slot === 'footwear'
        ? tidy(data, width, height, 0.25)
        : tidy(data, width, height, 0.3, Math.max(1, Math.round(wearer.head.unit * 0.05)));
    const area = mask.data.reduce((sum, v) => sum + v, 0);
    if (area < least) return;
    const about = slot === 'bag' || slot === 'footwear' ? {} : { middle: wearer.head.x };
    const trust = trustIn(mask, planes, { pieces: slot === 'footwear' ? 2 : 1, ...about });
    const sure = Math.min(0.97, (0.5 + 0.5 * confidence) * (0.6 + 0.4 * wearer.head.confidence) * trust);
    found.push({ slot, mask, areaShare: shareOf(mask), confidence: Math.round(sure * 100) / 100 });
  };
  const shoes = footwearOf(body);
  add('footwear', shoes, 0.7);
  const dressed = (i: number): boolean => wearer.cloth.data[i] === 1 && !shoes[i];
  const bag = bagOf(planes, body, dressed);
  if (bag) add('bag', bag, 0.6);
  const cloth = (i: number): boolean => dressed(i) && !bag?.[i];
  const waist = waistOf(body, cloth);
  const top = sharesOf(body.groups, (i) => cloth(i) && body.v(i) < waist.at && body.u(i) < 1.2);
  const rest = sharesOf(body.groups, (i) => cloth(i) && body.v(i) >= waist.at && body.u(i) < 1.2);
  const even = Math.min(top.count, rest.count) / Math.max(1, top.count + rest.count);
  const apart = Math.min(waist.change, variation(top.shares, rest.shares) / 0.8);
  // A hem in shadow also changes colour; a garment is more than a twelfth of what is worn.
  const two = apart > ANOTHER_GARMENT && even > 0.08;
  if (!two) {
    const all = Uint8Array.from(wearer.cloth.data, (_, i) => (cloth(i) ? 1 : 0));
    const reach = body.v(all.lastIndexOf(1));
    const layers = layersOf(body, all, Math.min(reach, 3));
    if (layers) {
      add('outer', layers.outer, layers.change);
      add('upper', layers.inner, layers.change);
    } else add(reach > 3.6 ? 'one_piece' : 'upper', all, 0.85);
  } else {
    const [upper, lower] = split(body, cloth, (i) => 4.5 * (waist.at - body.v(i)), top.shares, rest.shares);
    const layers = layersOf(body, upper, waist.at);
    if (layers) {
      add('outer', layers.outer, layers.change);
      add('upper', layers.inner, layers.change);
    } else add('upper', upper, waist.change);
    add('lower', lower, waist.change);
  }
  return found.sort((p, q) => q.areaShare - p.areaShare);
}

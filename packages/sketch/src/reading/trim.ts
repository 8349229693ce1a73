import { abs, floor, hypot } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import { close, components, open, select, type Mask } from '../cutout/mask.js';
import type { Head } from './head.js';
import { rowGroundDistance } from './row-ground.js';

/** A shirt of the wall's own colour leaves a hole in the chest; there is no looking through a chest. */
function wholeTrunk(mask: Mask, head: Head): Mask {
  const { width, height } = mask;
  const { labels, list } = components(close(mask, Math.max(2, Math.round(head.unit * 0.07))), 0);
  const central = new Set<number>();
  for (let i = 0; i < labels.length; i++) {
    const v = (floor(i / width) - head.chin) / head.unit;
    // Gaps between an arm and the trunk never come this near to the middle, gaps between legs begin lower.
    if (v > 0.2 && v < 2.9 && abs((i % width) - head.x) < head.unit * 0.28) central.add(labels[i] ?? 0);
  }
  const inTrunk = list.filter((c) => !c.touchesBorder && central.has(c.label));
  const holes = select(
    labels,
    inTrunk.map((c) => c.label),
    mask,
  ).data;
  const data = mask.data.map((v, i) => (v || holes[i] ? 1 : 0));
  if (inTrunk.length === 0) return { data, width, height };
  // The rim of a filled hole was closed away with it.
  const closed = close({ data, width, height }, 2).data;
  return { data: data.map((v, i) => (v || (closed[i] && nearTrunk(i, width, head)) ? 1 : 0)), width, height };
}

const nearTrunk = (i: number, width: number, head: Head): boolean => {
  const v = (floor(i / width) - head.chin) / head.unit;
  return v > 0 && v < 3 && abs((i % width) - head.x) < head.unit * 0.8;
};

/**
 * The shadow on the floor joins the shoes: it is the floor's own hue, darker, and has no grain of its own.
 * Only what lies in the lowest part of the subject can be one.
 */
function withoutFloorShadow(mask: Mask, planes: LabPlanes): Mask {
  const { data, width, height } = mask;
  const last = data.lastIndexOf(1);
  const first = data.indexOf(1);
  if (last < 0) return mask;
  const [top, bottom] = [floor(first / width), floor(last / width)];
  if (bottom >= height - 2) return mask;
  const from = Math.round(bottom - (bottom - top) * 0.075);
  const { l, a, b } = planes;
  const apart = rowGroundDistance(planes, (i) => !data[i]);
  const shadow = new Uint8Array(data.length);
  for (let y = from; y <= bottom; y++) {
    const ground = rowColour(planes, mask, y);
    if (!ground) continue;
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (!data[i]) continue;
      const fall = ground[0] - (l[i] ?? 0);
      const tint = hypot((a[i] ?? 0) - ground[1], (b[i] ?? 0) - ground[2]);
      if ((apart[i] ?? 0) < 4 || (fall > -3 && fall < 27 && tint < 5.5 + fall * 0.08)) shadow[i] = 1;
    }
  }
  const soft = open({ data: shadow, width, height }, 1).data;
  return { data: data.map((v, i) => (v && !soft[i] ? 1 : 0)), width, height };
}

/** Median ground of a row, outside of the subject. */
function rowColour(
  { l, a, b, width }: LabPlanes,
  { data }: Mask,
  y: number,
): readonly [number, number, number] | undefined {
  const chosen: number[] = [];
  for (let x = 0; x < width; x += 2) if (!data[y * width + x]) chosen.push(y * width + x);
  if (chosen.length < 8) return undefined;
  const of = (plane: Float32Array): number =>
    chosen.map((i) => plane[i] ?? 0).sort((p, q) => p - q)[chosen.length >> 1] ?? 0;
  return [of(l), of(a), of(b)];
}

/** What is known of people repairs what colours alone cannot tell. */
export function trimmed(mask: Mask, planes: LabPlanes, head: Head): Mask {
  const whole = withoutFloorShadow(wholeTrunk(mask, head), planes);
  const { labels, list } = components(whole, 1);
  const most = Math.max(0, ...list.map((c) => c.area));
  return select(
    labels,
    list.filter((c) => c.area > most * 0.004).map((c) => c.label),
    whole,
  );
}

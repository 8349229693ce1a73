import type { LabPlanes } from '../cutout/lab-planes.js';
import { components, dilate, open, select, type Mask } from '../cutout/mask.js';
import { medianColour, skinCandidates, skinOfTone } from './skin.js';

/**
 * Bare arms and legs of somebody whose head the picture cuts off: several patches of one skin colour, each narrow, that
 * together are the smaller part of the subject. A garment of a skin-like colour is one broad patch, and prints are small.
 * @returns undefined where the subject seems to have no limbs
 */
export function findLimbs(planes: LabPlanes, subject: Mask): Mask | undefined {
  const { width, height } = subject;
  const size = subject.data.reduce((sum, v) => sum + v, 0);
  const like = skinCandidates(planes);
  const wanted = subject.data.map((v, i) => (v && like[i] ? 1 : 0));
  const tone = medianColour(
    planes,
    [...wanted.keys()].filter((i) => wanted[i]),
  );
  if (!tone) return undefined;
  const own = skinOfTone(planes, tone, 1.3);
  const data = wanted.map((v, i) => (v && own[i] ? 1 : 0));
  const mask = open({ data, width, height }, 1);
  const { labels, list } = components(mask, 1);
  const breadth = breadthsOf(labels, list.length, width);
  const whole = Math.max(...breadthsOf(Int32Array.from(subject.data), 1, width));
  const limbs = list.filter((c) => c.area > size * 0.012 && (breadth[c.label - 1] ?? 0) < whole * 0.42);
  const area = limbs.reduce((sum, c) => sum + c.area, 0);
  const all = data.reduce((sum, v) => sum + v, 0);
  if (limbs.length < 2 || area < size * 0.05 || area > size * 0.5 || area < all * 0.7) return undefined;
  return dilate(
    select(
      labels,
      limbs.map((c) => c.label),
      mask,
    ),
    1,
  );
}

/** Each region's breadth in pixels, in the order of the labels. */
function breadthsOf(labels: Int32Array, count: number, width: number): number[] {
  const spans = Array.from({ length: count }, () => [width, 0]);
  for (let i = 0; i < labels.length; i++) {
    const span = spans[(labels[i] ?? 0) - 1];
    if (!span) continue;
    const x = i % width;
    span[0] = Math.min(span[0] ?? width, x);
    span[1] = Math.max(span[1] ?? 0, x);
  }
  return spans.map(([from = 0, to = 0]) => to - from + 1);
}

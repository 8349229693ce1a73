import { exp, log, within } from './arithmetic.js';
import { EngineError } from '@atelier/engine';
import { modelBackground } from '../cutout/background-model.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import { close, components, dilate, erode, open, select, type Mask } from '../cutout/mask.js';
import { segment } from '../cutout/segment.js';
import { barrierDistance } from './barrier.js';
import { ColourModel, colourBins } from './colour-model.js';
import { contourEvidence } from './contour-evidence.js';
import { expectBody, expectMiddle, type Expectation } from './expectation.js';
import { findHead, type Head } from './head.js';
import type { Photograph } from './photograph.js';
import { restlessness, rowGroundDistance } from './row-ground.js';
import { trimmed } from './trim.js';
import { smoothLabels } from './smooth-labels.js';

/** What a photograph is of, told from the ground that it stands or lies on. */
export interface Subject {
  readonly mask: Mask;
  /** Share of the photograph, 0–1. */
  readonly share: number;
  /** The ground is one plain colour with no more than a fall of light in it. */
  readonly plainGround: boolean;
  /** There is a person, and this is the head. */
  readonly head?: Head;
}

const shareOf = ({ data }: Mask): number => data.reduce((sum, v) => sum + v, 0) / data.length;

/** ΔE between what lies just inside and just outside of a contour, and between the inside and the ground as a whole. */
function standsOut(mask: Mask, { l, a, b }: LabPlanes): { rim: number; whole: number } {
  const inner = erode(mask, 3).data;
  const outer = dilate(mask, 3).data;
  const [rimIn, rimOut, inside, ground] = [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  const add = (sum: number[], i: number): void => {
    [l, a, b].forEach((plane, k) => (sum[k] = (sum[k] ?? 0) + (plane[i] ?? 0)));
    sum[3] = (sum[3] ?? 0) + 1;
  };
  for (let i = 0; i < mask.data.length; i++) {
    if (mask.data[i]) add(inner[i] ? inside : rimIn, i);
    else add(outer[i] ? rimOut : ground, i);
  }
  const apart = (one: number[], two: number[]): number =>
    Math.hypot(
      ...[0, 1, 2].map(
        (k) => (one[k] ?? 0) / Math.max(1, one[3] ?? 0) - (two[k] ?? 0) / Math.max(1, two[3] ?? 0),
      ),
    );
  return { rim: apart(rimIn, rimOut), whole: apart(inside, ground) };
}

interface PlainSubject {
  readonly mask: Mask;
  /** It hardly differs from the ground, so that a part of the ground may have come along. */
  readonly faint: boolean;
}

/** The garment cutter's own way; undefined where the ground is not plain, or where a stain of the ground came along. */
function onPlainGround(photograph: Photograph, agreement: number): PlainSubject | undefined {
  if (agreement < 0.93) return undefined;
  try {
    const mask = segment(photograph.small);
    const { rim, whole } = standsOut(mask, photograph.planes);
    return rim < 14 && whole > rim * 1.9 ? undefined : { mask, faint: rim < 14 };
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

const sigmoid = (v: number): number => 1 / (1 + exp(-v));

/** Where the mass of what stands out lies, as a share of the width. */
function centreOf(evidence: Float32Array, width: number, height: number): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < evidence.length; i++) {
    const x = (i % width) / width;
    if ((evidence[i] ?? 0) <= 0 || i < width * height * 0.04) continue;
    const weight = 1 - 1.6 * Math.abs(x - 0.5);
    sum += x * weight;
    count += weight;
  }
  return count > 0 ? Math.min(0.66, Math.max(0.34, sum / count)) : 0.5;
}

/** Log-odds from the barrier alone: half-way between what is reached from the rim and what stands out most. */
function barrierEvidence(planes: LabPlanes): Float32Array {
  const distance = barrierDistance(planes);
  const sorted = Float32Array.from(distance.filter((_, i) => i % 7 === 0)).sort();
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const threshold = Math.min(60, Math.max(14, at(0.3) + 0.34 * (at(0.97) - at(0.3))));
  return distance.map((d) => within((3.2 * (d - threshold)) / threshold, -2.2, 2.2));
}

/** Log-odds from how well a pixel goes with the ground on its row. */
function groundEvidence(planes: LabPlanes, belief: Float32Array): Float32Array {
  const outside = (i: number): boolean => (belief[i] ?? 0) < -0.4;
  const limit = Math.min(18, Math.max(3.2, 2 * restlessness(planes, outside)));
  return rowGroundDistance(planes, outside).map((d) =>
    d < 0 ? 0 : within((d - limit) / (0.6 * limit), -1.8, 0.9),
  );
}

/** Log-odds from which a pixel may tell its neighbours on which side of a contour they are. */
const SURELY = 2.3;

interface Evidence {
  readonly barrier: Float32Array;
  readonly bins: Uint16Array;
}

/** Learns the colours of inside and outside from where each is expected, then labels, and again from what came out. */
function labelled(
  planes: LabPlanes,
  evidence: Evidence,
  expected: Expectation,
  rounds: number,
  start?: Mask,
): Mask {
  const { width, height } = planes;
  const { barrier, bins } = evidence;
  const { place, near } = expected;
  let belief: Float32Array = barrier.map(
    (v, i) => (start ? (start.data[i] ? 1.5 : -1.5) : v) + (place[i] ?? 0),
  );
  for (let round = 0; round < rounds; round++) {
    const weights = belief.map(sigmoid);
    const teaching = weights.map((w, i) => w * (near[i] ?? 0));
    const inside = new ColourModel(bins, teaching, width, height);
    const outside = new ColourModel(
      bins,
      weights.map((w, i) => 1 - w + 0.6 * (1 - (near[i] ?? 0))),
      width,
      height,
    );
    const ground = groundEvidence(planes, belief);
    const before = belief;
    const contour =
      start &&
      contourEvidence(
        planes,
        (i) => (place[i] ?? 0) > SURELY || ((place[i] ?? 0) > 0.7 && (before[i] ?? 0) > SURELY),
        (i) => (place[i] ?? 0) < -SURELY || ((place[i] ?? 0) < 0.9 && (before[i] ?? 0) < -SURELY),
      );
    const own = belief.map((_, i) => {
      const bin = bins[i] ?? 0;
      const off = ground[i] ?? 0;
      // What differs from the very ground beside it is not taken for ground because its colour occurs elsewhere in it.
      const lowest = off > 0 ? -1.2 : -2.6;
      const colour = within(log(inside.at(i, bin) / outside.at(i, bin)), lowest, 2.6);
      return colour + (start ? 0.5 : 0.8) * (barrier[i] ?? 0) + off + (place[i] ?? 0) + (contour?.[i] ?? 0);
    });
    belief = smoothLabels(own, planes, 2.4);
  }
  const mask: Mask = { data: Uint8Array.from(belief, (v) => (v > 0 ? 1 : 0)), width, height };
  return withoutPinholes(central(open(close(mask, 1), 1)));
}

/**
 * The largest region near the middle, what lies close by it, and large regions above or below it: a face of the wall's
 * colour cuts the hair off from the shoulders.
 */
function central(mask: Mask): Mask {
  const { width, height } = mask;
  const { labels, list } = components(mask, 1);
  const weight = new Float64Array(list.length + 1);
  const middle = new Float64Array(list.length + 1);
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i] ?? 0;
    if (!label) continue;
    const x = (i % width) / width;
    weight[label] = (weight[label] ?? 0) + 1.2 - 2 * Math.abs(x - 0.5);
    middle[label] = (middle[label] ?? 0) + x / (list[label - 1]?.area ?? 1);
  }
  const main = list.reduce((best, c) => ((weight[c.label] ?? 0) > (weight[best] ?? 0) ? c.label : best), 0);
  if (!main) return mask;
  const around = dilate(select(labels, [main], mask), Math.round(height * 0.03)).data;
  const near = new Set<number>([main]);
  const most = list.find((c) => c.label === main)?.area ?? 0;
  for (let i = 0; i < labels.length; i++) if (around[i] && labels[i]) near.add(labels[i] ?? 0);
  const inLine = (label: number): boolean => Math.abs((middle[label] ?? 0) - (middle[main] ?? 0)) < 0.09;
  const kept = list.filter(
    (c) => (near.has(c.label) && c.area > most * 0.004) || (c.area > most * 0.06 && inLine(c.label)),
  );
  return select(
    labels,
    kept.map((c) => c.label),
    mask,
  );
}

/** Closes holes that are too small to be a look between arm and body. */
function withoutPinholes(mask: Mask): Mask {
  const { labels, list } = components(mask, 0);
  const kept = list.filter((c) => !c.touchesBorder && c.area < mask.data.length * 0.0012).map((c) => c.label);
  return select(labels, kept, mask, 1);
}

/**
 * Tells the subject from the ground: at once where the ground is plain; else first by what stands out near the middle, and
 * once more by what a body looks like if a head came to light. The mask may be empty, or cover everything: that is for the
 * caller to judge.
 */
export function findSubject(photograph: Photograph): Subject {
  const { planes } = photograph;
  const { width, height } = planes;
  const { agreement } = modelBackground(planes);
  const plain = onPlainGround(photograph, agreement);
  const plainGround = plain !== undefined || agreement > 0.85;
  const told = (mask: Mask, head: Head | undefined): Subject => ({
    mask,
    share: shareOf(mask),
    plainGround,
    ...(head ? { head } : {}),
  });
  const plainHead = plain && findHead(planes, plain.mask);
  if (plain && !plainHead && !plain.faint) return told(plain.mask, undefined);
  const evidence: Evidence = { barrier: barrierEvidence(planes), bins: colourBins(planes) };
  const centre = centreOf(evidence.barrier, width, height);
  const seen = (): Mask => labelled(planes, evidence, expectMiddle(width, height, centre), 3);
  const first = plain && plainHead ? plain.mask : seen();
  const head = plainHead ?? findHead(planes, first);
  if (!head) return told(plain?.mask ?? first, undefined);
  const body = labelled(planes, evidence, expectBody(width, height, head), 2, first);
  const whole = plain && plainHead ? withTrunkOf(plain.mask, body, head) : body;
  const second = trimmed(whole, planes, head);
  return told(second, findHead(planes, second) ?? head);
}

/** On plain ground the garment cutter knows trunk and arms better; it fills the gap between legs, though. */
function withTrunkOf(plain: Mask, body: Mask, head: Head): Mask {
  const last = Math.round(head.chin + head.unit * 2.6) * plain.width;
  return { ...body, data: body.data.map((v, i) => (v || (i < last && plain.data[i]) ? 1 : 0)) };
}

import { abs, floor, hypot } from './arithmetic.js';
import type { LabPlanes } from '../cutout/lab-planes.js';
import { close, components, dilate, open, select, type Mask } from '../cutout/mask.js';
import type { Head } from './head.js';
import { medianColour, skinOfTone, type LabColour } from './skin.js';

/** A person, taken apart. All masks have the size of the small picture. */
export interface Wearer {
  readonly head: Head;
  readonly skin: Mask;
  readonly hair: Mask;
  /** What is neither: clothes, shoes, bags. */
  readonly cloth: Mask;
  readonly skinTone: LabColour;
  /** Undefined where the head is bare or covered. */
  readonly hairTone?: LabColour;
  /** How far hair hangs below the chin, in head units; 0 for short hair. */
  readonly hairLength: number;
}

const apart = (p: LabColour, q: LabColour): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

/** Runs through the pixels of a rectangle. */
function* box(
  width: number,
  height: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): Generator<number> {
  for (let y = Math.max(0, Math.round(y0)); y < Math.min(height, y1); y++)
    for (let x = Math.max(0, Math.round(x0)); x < Math.min(width, x1); x++) yield y * width + x;
}

/** Colours nearer to each other than this cannot be told apart in changing light. */
const TELLING = 5;

/**
 * A rust jumper on brown skin: both are skin-like, but each has a tone of its own. Says which pixels are nearer to what the
 * trunk shows than to the face; none are where the two are the same, as on a bare chest.
 */
function nearerToTrunk(planes: LabPlanes, subject: Mask, head: Head): (i: number) => boolean {
  const { l, a, b, width, height } = planes;
  const { x, chin, unit, tone } = head;
  const shown = [
    ...box(width, height, x - unit * 0.35, chin + unit * 0.7, x + unit * 0.35, chin + unit * 2.2),
  ];
  const trunk = medianColour(
    planes,
    shown.filter((i) => subject.data[i]),
  );
  // Lightness changes along an arm, hue hardly does.
  const gap = (i: number, [tl, ta, tb]: LabColour): number =>
    hypot(0.6 * ((l[i] ?? 0) - tl), (a[i] ?? 0) - ta, (b[i] ?? 0) - tb);
  if (!trunk || hypot(0.6 * (trunk[0] - tone[0]), trunk[1] - tone[1], trunk[2] - tone[2]) < TELLING)
    return () => false;
  const last = chin + unit * 0.3;
  return (i) => floor(i / width) > last && gap(i, trunk) < gap(i, tone);
}

/**
 * Skin of the face's own tone anywhere in the subject. A broad patch over the middle of the trunk is a garment of that
 * colour, not a bare belly.
 */
function findSkin(planes: LabPlanes, subject: Mask, head: Head): Mask {
  const { width, height } = subject;
  const alike = skinOfTone(planes, head.tone, 1.15);
  const ofCloth = nearerToTrunk(planes, subject, head);
  const data = subject.data.map((v, i) => (v && alike[i] && !ofCloth(i) ? 1 : 0));
  const mask = open(close({ data, width, height }, 1), 1);
  // Cut through the neck, so that a jumper of the skin's colour is no part of the face.
  const neck = Math.round(head.chin + head.unit * 0.25) * width;
  mask.data.fill(0, neck, neck + 2 * width);
  const { labels, list } = components(mask, 1);
  const trunk = new Float64Array(list.length + 1);
  for (const i of box(
    width,
    height,
    head.x - head.unit * 0.35,
    head.chin + head.unit * 0.8,
    head.x + head.unit * 0.35,
    head.chin + head.unit * 3,
  )) {
    const label = labels[i] ?? 0;
    if (label) trunk[label] = (trunk[label] ?? 0) + 1;
  }
  const own = labels[Math.round(head.y) * width + Math.round(head.x)] ?? 0;
  const limit = head.unit ** 2 * 0.6;
  const kept = list.filter(
    (c) => c.label === own || ((trunk[c.label] ?? 0) < limit && c.area > head.unit ** 2 * 0.012),
  );
  return select(
    labels,
    kept.map((c) => c.label),
    mask,
  );
}

function hairToneOf(planes: LabPlanes, subject: Mask, skin: Mask, head: Head): LabColour | undefined {
  const { width, height } = subject;
  const { x, y, breadth } = head;
  const near = dilate(skin, 1).data;
  const free = (i: number): boolean => subject.data[i] === 1 && !near[i];
  const top = head.y - breadth * 0.62;
  const chosen = [
    ...box(width, height, x - breadth * 0.4, head.crown + breadth * 0.06, x + breadth * 0.4, top),
    ...box(width, height, x - breadth * 0.85, y - breadth * 0.4, x - breadth * 0.55, y + breadth * 0.3),
    ...box(width, height, x + breadth * 0.55, y - breadth * 0.4, x + breadth * 0.85, y + breadth * 0.3),
  ].filter(free);
  return chosen.length > breadth * breadth * 0.04 ? medianColour(planes, chosen) : undefined;
}

/** Hair: its tone, joined to the head, and below the chin only where it falls beside the neck. */
function findHair(planes: LabPlanes, subject: Mask, skin: Mask, head: Head, tone: LabColour): Mask {
  const { width, height } = subject;
  const { l, a, b } = planes;
  const { x: middle, unit, chin, breadth } = head;
  const data = new Uint8Array(subject.data.length);
  for (let i = 0; i < data.length; i++) {
    if (!subject.data[i] || skin.data[i]) continue;
    const v = (floor(i / width) - chin) / unit;
    const u = abs((i % width) - middle) / breadth;
    if (v > 2.2 || (v > 0.12 && (u < 0.3 || u > 1.15))) continue;
    const fall = (l[i] ?? 0) - tone[0];
    const hue = hypot((a[i] ?? 0) - tone[1], (b[i] ?? 0) - tone[2]);
    const easy = v < 0 ? 1.6 : 1;
    if (abs(fall) < 17 * easy && hue < 10 * easy) data[i] = 1;
  }
  const mask = close({ data, width, height }, 1);
  const { labels, list } = components(mask, 1);
  const above = new Set<number>();
  for (const i of box(width, height, middle - unit, head.crown, middle + unit, chin))
    above.add(labels[i] ?? 0);
  return select(
    labels,
    list.filter((c) => above.has(c.label) && c.area > breadth ** 2 * 0.03).map((c) => c.label),
    mask,
  );
}

/** Rows below the chin that hair still fills, in head units. */
function fallOf(hair: Mask, head: Head): number {
  let last = head.chin;
  for (let y = Math.round(head.chin); y < hair.height; y++) {
    let count = 0;
    for (let x = 0; x < hair.width; x++) count += hair.data[y * hair.width + x] ?? 0;
    if (count > head.breadth * 0.16) last = y;
    else if (y - last > head.unit * 0.25) break;
  }
  return Math.max(0, (last - head.chin) / head.unit);
}

/** Takes a person apart into skin, hair and cloth. */
export function readWearer(planes: LabPlanes, subject: Mask, head: Head): Wearer {
  const { width, height } = subject;
  const skin = findSkin(planes, subject, head);
  const tone = hairToneOf(planes, subject, skin, head);
  const hairy = tone && apart(tone, head.tone) > 9 ? tone : undefined;
  const none: Mask = { data: new Uint8Array(width * height), width, height };
  const hair = hairy ? findHair(planes, subject, skin, head, hairy) : none;
  // Above the chin there are lips and brows, and a neck in the chin's shadow is still a neck.
  const face = (i: number): boolean => {
    const v = (floor(i / width) - head.chin) / head.unit;
    return v < 0.06 || (v < 0.4 && abs((i % width) - head.x) < head.breadth * (0.62 - v * 0.5));
  };
  const bare = dilate(skin, 1).data;
  const data = subject.data.map((v, i) => (v && !bare[i] && !hair.data[i] && !face(i) ? 1 : 0));
  return {
    head,
    skin,
    hair,
    cloth: open({ data, width, height }, 1),
    skinTone: head.tone,
    ...(hairy ? { hairTone: hairy } : {}),
    hairLength: hairy ? fallOf(hair, head) : 0,
  };
}

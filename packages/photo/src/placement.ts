import type { CutOut } from './matte.js';
import type { Joint, Person } from './person.js';
import type { Picture } from './raster.js';

/** The person's place and size in the new picture. The background is drawn to fit them. */
export interface Stance {
  /**
   * The person's middle, the height of the soles, and the person's height when standing, in pixels of the new
   * picture.
   */
  readonly x: number;
  readonly soles: number;
  readonly stature: number;
  readonly shows: 'full' | 'three_quarter' | 'half' | 'detail';
}

/** The scale of a cut-out (new pixels per pixel of its own) and its upper left corner. */
export interface Placement {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  /** Whether the feet stand on the ground. */
  readonly stands: boolean;
  readonly stance: Stance;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const clamp = (v: number, low: number, high: number): number => Math.min(high, Math.max(low, v));

/** Joints below this are guesses. */
const SEEN = 0.3;

/**
 * Proportions of a standing adult, as shares of the height: the distance from shoulders to hips, and from nose
 * to shoulders.
 */
const [TRUNK, NECK] = [0.29, 0.125];

/** Height of the whole person in pixels of the source, estimated from the visible parts. */
function statureOf({ joints, box }: Person): number {
  const middle = (one: Joint, other: Joint): number | undefined =>
    Math.min(joints[one].score, joints[other].score) >= SEEN
      ? (joints[one].y + joints[other].y) / 2
      : undefined;
  const shoulders = middle('leftShoulder', 'rightShoulder');
  const hips = middle('leftHip', 'rightHip');
  const { nose } = joints;
  // A sitting or bending person has a short trunk in the picture, so the visible height is a lower bound.
  if (shoulders !== undefined && hips !== undefined) return Math.max(box.height, (hips - shoulders) / TRUNK);
  if (shoulders !== undefined && nose.score >= SEEN) return Math.max(box.height, (shoulders - nose.y) / NECK);
  return box.height * 2.2;
}

interface Touches {
  readonly left: boolean;
  readonly right: boolean;
  readonly top: boolean;
  readonly bottom: boolean;
}

function touchesOf({ box }: CutOut, { width, height }: Picture): Touches {
  const near = Math.max(2, width * 0.008);
  return {
    left: box.left <= near,
    right: box.left + box.width >= width - near,
    top: box.top <= near,
    bottom: box.top + box.height >= height - Math.max(2, height * 0.012),
  };
}

/**
 * A whole figure: about its old height, if the background has room, with the feet a little above the lower
 * edge.
 */
function standing(
  cut: CutOut,
  source: Picture,
  { width, height }: Size,
): Omit<Placement, 'stance' | 'stands'> {
  const { box } = cut;
  const beheaded = touchesOf(cut, source).top;
  const share = beheaded ? 0.93 : clamp(box.height / source.height, 0.66, 0.86);
  const scale = Math.min((share * height) / box.height, (width * (beheaded ? 1 : 0.92)) / box.width);
  const soles = beheaded
    ? box.height * scale
    : height * clamp(1 - (1 - (box.height * scale) / height) * 0.42, 0.9, 0.95);
  return { scale, left: (width - box.width * scale) / 2, top: soles - box.height * scale };
}

/** If an edge of the source cuts the person off, the same edge of the new picture cuts the person off, too. */
function cutOff(cut: CutOut, source: Picture, { width, height }: Size): Omit<Placement, 'stance' | 'stands'> {
  const { box } = cut;
  const touches = touchesOf(cut, source);
  const fits = Math.min(
    height / source.height,
    (width * (touches.left || touches.right ? 1 : 0.96)) / box.width,
  );
  const covers = Math.max(width / source.width, height / source.height);
  // If the format is nearly the same as the source's, the framing stays. A small person comes closer.
  const kept = covers / (height / source.height) < 1.13 ? covers : fits;
  const near = Math.max(kept, Math.min((0.62 * height) / box.height, (0.8 * width) / box.width));
  const across = touches.left && touches.right ? width / box.width : 0;
  const down = touches.top ? height / box.height : 0;
  const scale = Math.max(near, across, down);
  const room = width - box.width * scale;
  const middle = width / 2 + (box.left + box.width / 2 - source.width / 2) * scale - (box.width * scale) / 2;
  const inside = clamp(middle, Math.min(0, room), Math.max(0, room));
  const left =
    touches.left === touches.right ? inside : touches.left ? Math.min(0, inside) : Math.max(room, inside);
  return { scale, left: touches.left && !touches.right ? 0 : left, top: height - box.height * scale };
}

/** Where a person goes in a new picture. */
export function placementOf(person: Person, cut: CutOut, source: Picture, size: Size): Placement {
  const { joints, box } = person;
  const feet = Math.max(joints.leftAnkle.score, joints.rightAnkle.score) >= SEEN;
  const stands = feet && !touchesOf(cut, source).bottom;
  const place = stands ? standing(cut, source, size) : cutOff(cut, source, size);
  const { scale, top, left } = place;
  const stature = Math.max(1, (stands ? box.height : statureOf(person)) * scale);
  const shown = (size.height - Math.max(0, top)) / stature;
  const shows = stands ? 'full' : shown > 0.6 ? 'three_quarter' : shown > 0.33 ? 'half' : 'detail';
  const x = left + (cut.box.width * scale) / 2;
  const soles = stands ? top + cut.box.height * scale : top + stature;
  return { ...place, stands, stance: { x, soles, stature, shows } };
}

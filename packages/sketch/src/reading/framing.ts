import type { Mask } from '../cutout/mask.js';
import type { Head } from './head.js';
import type { Reading } from './reading.js';

type Crop = 'full' | 'three_quarter' | 'half' | 'detail';
export type CameraHeight = 'low' | 'waist' | 'chest' | 'eye' | 'high';
type Pose = 'relaxed' | 'hand_on_hip' | 'walking' | 'arms_raised' | 'laid_flat';

export interface FramingReading {
  readonly crop: Crop;
  /** Head heights from the crown to the last row of the person; absent without a person. */
  readonly headsShown?: number;
  readonly cameraHeight: CameraHeight;
  readonly angle: 'front' | 'slight_left' | 'slight_right' | 'overhead';
  readonly pose: Pose;
  /** Where the subject's middle lies, as a share of the width from the middle, and the room above it. */
  readonly offset: number;
  readonly headroom: number;
}

/** Bounds of the subject in shares of the picture. */
function extent({
  data,
  width,
  height,
}: Mask): readonly [left: number, top: number, right: number, bottom: number] {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    const x = i % width;
    const y = Math.floor(i / width);
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
  }
  return [left / width, top / height, (right + 1) / width, (bottom + 1) / height];
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Where a whole figure ends, in heads: fashion figures count nine, people seven and a half. */
const WHOLE_FIGURE = 6.6;

function cropOf(heads: number, cut: boolean): Crop {
  if (!cut) return heads > 2.6 ? 'full' : 'detail';
  if (heads > WHOLE_FIGURE + 1) return 'full';
  if (heads > 4.7) return 'three_quarter';
  return heads > 1.9 ? 'half' : 'detail';
}

/** Runs of a row that belong to the subject, from left to right. */
function runsAt({ data, width, height }: Mask, y: number, least: number): [number, number][] {
  const runs: [number, number][] = [];
  const row = Math.min(height - 1, Math.max(0, Math.round(y))) * width;
  let from = -1;
  for (let x = 0; x <= width; x++) {
    const inside = x < width && data[row + x] === 1;
    if (inside && from < 0) from = x;
    if (!inside && from >= 0) {
      if (x - from >= least) runs.push([from, x]);
      from = -1;
    }
  }
  return runs;
}

/** Rows, in head units below the chin, in which the ground looks through between an arm and the trunk, on one side. */
function gapBeside(mask: Mask, head: Head, side: -1 | 1): { rows: number; widest: number } {
  let [rows, widest] = [0, 0];
  const step = head.unit * 0.05;
  for (let v = 0.8; v < 3.4; v += 0.05) {
    const y = head.chin + v * head.unit;
    if (y >= mask.height) break;
    const runs = runsAt(mask, y, 2).filter(([from, to]) => (side < 0 ? from < head.x : to > head.x));
    const [inner, outer] = side < 0 ? [runs[runs.length - 1], runs[runs.length - 2]] : [runs[0], runs[1]];
    if (!inner || !outer) continue;
    const gap = side < 0 ? inner[0] - outer[1] : outer[0] - inner[1];
    if (gap > step) {
      rows++;
      widest = Math.max(widest, gap / head.unit);
    }
  }
  return { rows, widest };
}

function poseOf(mask: Mask, head: Head, cut: boolean, bottom: number): Pose {
  // An arm above the shoulders leaves the subject beside the head.
  const beside = runsAt(mask, head.y, 2).some(
    ([from, to]) => Math.abs((from + to) / 2 - head.x) > head.unit * 1.05 && to - from < head.unit * 0.7,
  );
  if (beside) return 'arms_raised';
  const [left, right] = [gapBeside(mask, head, -1), gapBeside(mask, head, 1)];
  // A bent arm encloses a wide gap; a hanging one a long narrow one, or none.
  if (Math.max(left.widest, right.widest) > 0.42) return 'hand_on_hip';
  if (cut) return 'relaxed';
  const feet = runsAt(mask, bottom - head.unit * 0.12, 2);
  const knees = runsAt(mask, bottom - head.unit * 2.1, 2);
  const spread = (runs: readonly [number, number][]): number =>
    runs.length > 1 ? ((runs[runs.length - 1]?.[1] ?? 0) - (runs[0]?.[0] ?? 0)) / head.unit : 0;
  return spread(feet) > 1.75 && spread(feet) > spread(knees) * 1.5 ? 'walking' : 'relaxed';
}

/** Long legs and a small head mean a low camera; without legs the crop says what is usual. */
function cameraOf(crop: Crop, heads: number): CameraHeight {
  if (crop === 'full') return heads > 11.4 ? 'low' : heads < 6.6 ? 'eye' : 'waist';
  return crop === 'three_quarter' ? 'chest' : 'eye';
}

/** The face's place within the head: it moves toward the side that the head is turned to. */
function angleOf(mask: Mask, head: Head): FramingReading['angle'] {
  const runs = runsAt(mask, head.y - head.breadth * 0.1, 3).filter(
    ([from, to]) => from <= head.x && to >= head.x,
  );
  const [from, to] = runs[0] ?? [0, 0];
  const off = (head.x - (from + to) / 2) / Math.max(1, to - from);
  return off > 0.09 ? 'slight_right' : off < -0.09 ? 'slight_left' : 'front';
}

/** Measures how a photograph is framed and how its subject stands. */
export function readFraming({ subject, wearer }: Reading): FramingReading {
  const { mask } = subject;
  const [left, top, right, bottom] = extent(mask);
  const offset = round((left + right) / 2 - 0.5);
  if (!wearer) {
    const cuts = [left < 0.005, top < 0.005, right > 0.995, bottom > 0.995].filter(Boolean).length;
    const crop = cuts >= 2 || subject.share > 0.75 ? 'detail' : 'full';
    return { crop, cameraHeight: 'high', angle: 'overhead', pose: 'laid_flat', offset, headroom: round(top) };
  }
  const { head } = wearer;
  const cut = bottom > 0.993;
  const heads = (bottom * mask.height - (head.chin - head.unit)) / head.unit;
  const crop = cropOf(heads, cut);
  return {
    crop,
    headsShown: Math.round(heads * 10) / 10,
    cameraHeight: cameraOf(crop, heads),
    angle: angleOf(mask, head),
    pose: poseOf(mask, head, cut, bottom * mask.height),
    offset: round(head.x / mask.width - 0.5),
    headroom: round(head.crown / mask.height),
  };
}

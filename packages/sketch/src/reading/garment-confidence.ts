import { components, erode, type Mask } from '../cutout/mask.js';
import type { LabPlanes } from '../cutout/lab-planes.js';

/** From this ΔE on, a contour is visible to the eye. */
const SET_OFF = 7;
/**
 * Colours are compared at this distance from a contour, on both sides, in pixels. The drawn line of the contour
 * lies between.
 */
const APART = 2;

/**
 * Share of a region's contour along which the colours inside and outside differ. The picture's own rim counts
 * as different.
 */
function setOff({ data, width, height }: Mask, inner: Uint8Array, { l, a, b }: LabPlanes): number {
  let [clear, all] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i] || inner[i]) continue;
    const x = i % width;
    const y = (i - x) / width;
    all++;
    if (x < APART || y < APART || x >= width - APART || y >= height - APART) {
      clear++;
      continue;
    }
    for (const step of [APART, -APART, APART * width, -APART * width]) {
      const [out, within] = [i + step, i - step];
      if (data[out] || !data[within]) continue;
      const [dl, da, db] = [l, a, b].map((plane) => (plane[out] ?? 0) - (plane[within] ?? 0));
      if (Math.hypot(dl ?? 0, da ?? 0, db ?? 0) < SET_OFF) continue;
      clear++;
      break;
    }
  }
  return all > 0 ? clear / all : 0;
}

/** How much of a region is in its largest pieces. */
function wholeness(mask: Mask, pieces: number): number {
  const areas = components(mask, 1)
    .list.map((one) => one.area)
    .sort((p, q) => q - p);
  const all = areas.reduce((sum, v) => sum + v, 0);
  return all > 0 ? areas.slice(0, pieces).reduce((sum, v) => sum + v, 0) / all : 0;
}

/** How similar in size the two halves are, 0–1. A missing sleeve lowers it. */
function balance({ data, width }: Mask, middle: number): number {
  let [left, right] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    if (i % width < middle) left++;
    else right++;
  }
  return Math.min(left, right) / Math.max(1, left, right);
}

/**
 * The confidence that a region is one garment, 0–1. It is high if the contour is visible, and if the region is
 * in one piece and not lopsided. Scraps of a jumper in the wall's colour fail all three tests.
 * @param middle the wearer's middle line, for clothes around it
 */
export function trustIn(
  mask: Mask,
  planes: LabPlanes,
  { pieces, middle }: { readonly pieces: number; readonly middle?: number },
): number {
  const inner = erode(mask, 1).data;
  const even = middle === undefined ? 1 : Math.min(1, 0.4 + balance(mask, middle));
  return (0.35 + 0.65 * setOff(mask, inner, planes)) * wholeness(mask, pieces) * even;
}

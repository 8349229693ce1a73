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

/**
 * The confidence that a region is one garment, 0–1. It is high if the contour is visible, and if the region is
 * in as few pieces as expected. Scraps of a jumper in the wall's colour fail both tests.
 */
export function trustIn(mask: Mask, planes: LabPlanes, pieces: number): number {
  const inner = erode(mask, 1).data;
  return (0.35 + 0.65 * setOff(mask, inner, planes)) * wholeness(mask, pieces);
}

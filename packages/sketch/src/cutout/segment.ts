import { EngineError } from '@atelier/engine';
import type { Raster } from '../drawing/rasterise.js';
import { modelBackground } from './background-model.js';
import { CAUTIOUS, floodBackground, limitsFor, type Flood } from './flood.js';
import { labPlanes } from './lab-planes.js';
import { close, components, erode, open, select, type Mask } from './mask.js';

const ADVICE = 'Send one garment, wholly in the picture, on a plain background that differs from it.';

/** A picture that comes with its own cut-out: at least one pixel in a hundred is see-through. */
function ownAlpha({ data, width, height }: Raster): Mask | undefined {
  const mask = new Uint8Array(width * height);
  let clear = 0;
  for (let i = 0; i < mask.length; i++) {
    const alpha = data[i * 4 + 3] ?? 255;
    mask[i] = alpha > 127 ? 1 : 0;
    if (alpha < 32) clear++;
  }
  return clear > mask.length * 0.01 ? { data: mask, width, height } : undefined;
}

/**
 * Keeps the largest region, and regions of at least a twentieth of its size, such as the other shoe of a pair
 * or a separate belt.
 */
function keepLargest(mask: Mask): Mask {
  const { labels, list } = components(mask, 1);
  const largest = Math.max(0, ...list.map((c) => c.area));
  const kept = list.filter((c) => c.area >= largest * 0.05).map((c) => c.label);
  return select(labels, kept, mask);
}

/**
 * Fills enclosed holes, except holes that really show the background: the gap between a sleeve and the body is
 * paper, but a white button is not. If the garment has nearly the background's colour, all holes are filled.
 */
function fillHoles(mask: Mask, flood: Flood): Mask {
  const { labels, list } = components(mask, 0);
  const size = mask.data.length;
  const sums = new Float64Array(list.length + 1);
  let [inside, count] = [0, 0];
  for (let i = 0; i < size; i++) {
    const label = labels[i] ?? 0;
    const difference = flood.difference[i] ?? 0;
    if (label) sums[label] = (sums[label] ?? 0) + difference;
    else {
      inside += difference;
      count++;
    }
  }
  const faint = inside / Math.max(1, count) < flood.tolerance * 3;
  const filled = list.filter(({ label, area, touchesBorder }) => {
    const paper = (sums[label] ?? 0) / area < flood.tolerance * 1.3;
    return !touchesBorder && (faint || !paper || area <= size * 0.0001);
  });
  return select(
    labels,
    filled.map((c) => c.label),
    mask,
    1,
  );
}

/**
 * The flood counts enclosed islands of paper (between sleeve and body) as garment. This adds them to the
 * background first.
 */
function openIslands(flood: Flood, width: number, height: number): Mask {
  const size = width * height;
  const [data, plain] = [new Uint8Array(size), new Uint8Array(size)];
  let [inside, count] = [0, 0];
  for (let i = 0; i < size; i++) {
    if (flood.background[i]) continue;
    data[i] = 1;
    const difference = flood.difference[i] ?? 0;
    if (difference < flood.tolerance) plain[i] = 1;
    else {
      inside += difference;
      count++;
    }
  }
  if (count === 0 || inside / count < flood.tolerance * 5) return { data, width, height };
  const { labels, list } = components({ data: plain, width, height }, 1);
  const paper = list.filter((c) => c.area > size * 0.0004).map((c) => c.label);
  const islands = select(labels, paper, { data, width, height }).data;
  for (let i = 0; i < size; i++) if (islands[i]) data[i] = 0;
  return { data, width, height };
}

function judge(mask: Mask): void {
  const { data, width, height } = mask;
  let [area, rim] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    if (!data[i]) continue;
    area++;
    const x = i % width;
    const y = (i - x) / width;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) rim++;
  }
  const share = area / data.length;
  if (share < 0.015)
    throw new EngineError('bad_input', `No garment can be told from its background. ${ADVICE}`);
  if (share > 0.93 || rim > (width + height) * 4 * 0.5) {
    throw new EngineError('bad_input', `The garment cannot be separated from what is around it. ${ADVICE}`);
  }
}

/**
 * Separates the garment from the background. The picture should be a little soft, so that grain does not look
 * like an edge.
 * @throws EngineError `bad_input` when nothing stands out, or when there is no plain background
 */
export function segment(raster: Raster): Mask {
  const given = ownAlpha(raster);
  if (given) {
    const mask = keepLargest(given);
    judge(mask);
    return mask;
  }
  const planes = labPlanes(raster);
  const { width, height } = planes;
  const model = modelBackground(planes);
  if (model.agreement < 0.5) {
    throw new EngineError(
      'bad_input',
      `The background is not plain enough to cut the garment out. ${ADVICE}`,
    );
  }
  const first = floodBackground(planes, model, CAUTIOUS);
  const flood = floodBackground(planes, model, limitsFor(first));
  const raw = openIslands(flood, width, height);
  const mask = erode(fillHoles(keepLargest(open(close(raw, 1), 3)), flood), 1);
  judge(mask);
  return mask;
}

import { median } from '../reading/arithmetic.js';
import type { Raster } from '../drawing/rasterise.js';
import type { Silhouette } from './silhouette.js';

export const GARMENT_CLASSES = ['top', 'outerwear', 'dress', 'skirt', 'trousers', 'shorts'] as const;
export type GarmentClass = (typeof GARMENT_CLASSES)[number];

const SLOTS = ['upper', 'lower', 'one_piece', 'outer', 'footwear', 'bag', 'headwear', 'accessory'] as const;
/** Where on a person a thing belongs. */
export type Slot = (typeof SLOTS)[number];

export const isSlot = (value: unknown): value is Slot => SLOTS.some((one) => one === value);

export const SLOT_OF_CLASS: Readonly<Record<GarmentClass, Slot>> = {
  top: 'upper',
  outerwear: 'outer',
  dress: 'one_piece',
  skirt: 'lower',
  trousers: 'lower',
  shorts: 'lower',
};

const WORDS: readonly (readonly [RegExp, GarmentClass])[] = [
  [/\b(dress|gown|jumpsuit|kaftan|kurta|romper|sari|saree|lehenga)\b/i, 'dress'],
  [/\b(skirt|sarong)\b/i, 'skirt'],
  [/\bshorts\b/i, 'shorts'],
  [/\b(trousers?|pants|jeans|chinos?|leggings|slacks|joggers)\b/i, 'trousers'],
  [/\b(jacket|coat|blazer|parka|cardigan|trench|overcoat|gilet|waistcoat)\b/i, 'outerwear'],
  [/\b(top|shirt|t-shirt|tee|blouse|sweater|jumper|hoodie|pullover|polo|tank|vest|knit)\b/i, 'top'],
];

/** The class that the caller's own words name, if any. */
export const classFromWords = (said: string): GarmentClass | undefined =>
  WORDS.find(([pattern]) => pattern.test(said))?.[1];

const rows = (shape: Silhouette, from: number, to: number): number[] =>
  Array.from({ length: 40 }, (_, i) => shape.row(from + ((to - from) * i) / 39));

/** Share of the lower rows in which the middle is open: the gap between two legs. */
export function legGap(shape: Silhouette): number {
  const open = rows(shape, 0.6, 0.97).filter((y) => {
    const runs = (shape.runs[y] ?? []).filter((r) => r.to - r.from > shape.width * 0.1);
    return runs.length === 2 && !runs.some((r) => r.from <= shape.centre && r.to > shape.centre);
  });
  return open.length / 40;
}

/** Half the breadth of the body of the garment, sleeves apart. */
export function bodyHalf(shape: Silhouette): number {
  const widths = rows(shape, 0.3, 0.72).map((y) => {
    const run = shape.central(y);
    return run.to - run.from;
  });
  widths.sort((a, b) => a - b);
  return (widths[Math.floor(widths.length * 0.3)] ?? shape.width) / 2;
}

export function hasSleeves(shape: Silhouette): boolean {
  const half = bodyHalf(shape);
  const apart = rows(shape, 0.3, 0.75).filter((y) => (shape.runs[y] ?? []).length >= 3).length / 40;
  const reach = Math.max(
    ...rows(shape, 0.05, 0.5).map((y) => {
      const { from, to } = shape.extent(y);
      return (to - from) / 2;
    }),
  );
  const below = median(rows(shape, 0.75, 0.95).map((y) => shape.extent(y).to - shape.extent(y).from)) / 2;
  return apart > 0.2 || (reach > half * 1.35 && reach > below * 1.12);
}

/** A waistband: the upper edge is straight and as broad as the cloth right below it. */
function flatTop(shape: Silhouette): boolean {
  const first = shape.extent(shape.row(0.03));
  const second = shape.extent(shape.row(0.1));
  const breadth = first.to - first.from;
  const tops = Array.from({ length: 21 }, (_, i) => shape.topAt(first.from + breadth * (0.1 + 0.04 * i)));
  const spread = Math.max(...tops) - Math.min(...tops);
  return breadth > (second.to - second.from) * 0.84 && spread < shape.height * 0.045;
}

/** An opening front: a steep vertical line runs down the middle. */
function opensInFront(shape: Silhouette, raster: Raster): boolean {
  const scale = raster.width / shape.mask.width;
  const light = (x: number, y: number): number => {
    const i = (Math.round(y) * raster.width + Math.round(x)) * 4;
    return ((raster.data[i] ?? 0) * 3 + (raster.data[i + 1] ?? 0) * 6 + (raster.data[i + 2] ?? 0)) / 10;
  };
  const marked = (offset: number): number => {
    const hits = rows(shape, 0.5, 0.95).filter((y) => {
      const middle = shape.centre + offset;
      const span = shape.width * 0.04;
      for (let x = middle - span; x <= middle + span; x++) {
        const around = (light((x - 5) * scale, y * scale) + light((x + 5) * scale, y * scale)) / 2;
        if (Math.abs(light(x * scale, y * scale) - around) > 26) return true;
      }
      return false;
    });
    return hits.length / 40;
  };
  // Ribs, cables and stripes draw lines at the sides as well as in the middle. A front edge draws one only in
  // the middle.
  const beside = shape.width * 0.13;
  return marked(0) > 0.55 && Math.max(marked(-beside), marked(beside)) < 0.4;
}

/**
 * A rough class from the silhouette alone. It decides how the garment is worn, so its errors must be harmless.
 */
export function classify(shape: Silhouette, raster: Raster): GarmentClass {
  const tall = shape.height / (bodyHalf(shape) * 2);
  const sleeves = hasSleeves(shape);
  if (!sleeves && legGap(shape) > 0.6) return shape.height / shape.width > 1.35 ? 'trousers' : 'shorts';
  if (!sleeves && flatTop(shape)) return 'skirt';
  if (tall > (sleeves ? 1.95 : 1.8)) return 'dress';
  return sleeves && opensInFront(shape, raster) ? 'outerwear' : 'top';
}

import { SLOT_OF_CLASS, type GarmentClass, type Slot } from '../cutout/classify.js';
import { rounded, type Mask } from '../cutout/mask.js';
import type { Layer } from '../scene.js';
import { opaque, outlinesOf } from './outline.js';
import type { Canvas, FigureLayers } from './subject.js';

/** A worn thing, several things that cannot be separated, or the hair, arms and hands in front of them. */
export interface Worn {
  readonly slot: Slot | 'several' | 'body';
  readonly layers: readonly Layer[];
}

/** Garments worn under the arms and the hair, as most garments are. */
export const wornUnder = (
  { over }: FigureLayers,
  cloth: readonly Layer[],
  classes: readonly GarmentClass[],
): Worn[] => [
  ...cloth.map((layer, index): Worn => {
    const garmentClass = classes[index];
    return { slot: garmentClass ? SLOT_OF_CLASS[garmentClass] : 'several', layers: [layer] };
  }),
  ...(over ? [{ slot: 'body' as const, layers: [over] }] : []),
];

/** A thing that is hidden by more than this share cannot be recognised any more. */
const MOSTLY = 0.55;
/** A thing smaller than this share of the picture is too small for a picture of its own. */
const TINY = 0.0006;

interface Shown {
  readonly front: Mask;
  readonly pieces: readonly { readonly slot: Slot; readonly mask: Mask }[];
}

/** The visible part of each thing, and the parts that hair and hands hide. */
function shownOf(stack: readonly Worn[], canvas: Canvas, step: number): Shown {
  const empty = opaque([], canvas.width, canvas.height, step);
  const [body, things, front] = [empty, empty, empty].map(({ data }) => new Uint8Array(data));
  const pieces: { slot: Slot; mask: Mask }[] = [];
  for (const { slot, layers } of stack.toReversed()) {
    const { data } = opaque(layers, canvas.width, canvas.height, step);
    let [all, left] = [0, 0];
    const shown = data.map((v, i) => {
      if (!v) return 0;
      all++;
      if (things?.[i]) return 0;
      left++;
      if (slot !== 'body' && front && body?.[i]) front[i] = 1;
      return 1;
    });
    const cover = slot === 'body' ? body : things;
    for (let i = 0; i < data.length; i++) if (cover && data[i]) cover[i] = 1;
    if (slot !== 'body' && slot !== 'several' && left > all * MOSTLY && left > data.length * TINY)
      pieces.unshift({ slot, mask: { ...empty, data: shown } });
  }
  return { front: { ...empty, data: front ?? empty.data }, pieces };
}

/**
 * Outlines of a composed picture, for a workflow that splits it again: `subject` is everything but the place,
 * `cloth` is all clothes, and `front` is the hair and hands that hide part of them. `worn.0.upper` is the
 * visible part of one thing; it is empty if that thing is all of the cloth.
 * @param stack the clothes from the skin outward, with the parts of the body between and over them
 */
export async function silhouettes(
  figure: FigureLayers,
  stack: readonly Worn[],
  canvas: Canvas,
): Promise<Record<string, number[][]>> {
  const { width, height } = canvas;
  const step = Math.max(1, Math.round(height / 512));
  const all = stack.flatMap(({ layers }) => layers);
  const cloth = stack.flatMap(({ slot, layers }) => (slot === 'body' ? [] : layers));
  const { front, pieces } = shownOf(stack, canvas, step);
  // Threads and curls would take many points and do not matter.
  const outline = async (mask: Mask, tolerance: number): Promise<number[][]> =>
    outlinesOf(await rounded(mask, 1.3), tolerance);
  const alone = stack.filter(({ slot }) => slot !== 'body').length === 1;
  const worn = pieces.map(async ({ slot, mask }, index) => [
    `worn.${index}.${slot}`,
    alone ? [] : await outline(mask, 0.8),
  ]);
  return {
    subject: await outline(opaque([figure.bare, figure.base, ...all], width, height, step), 2.2),
    cloth: await outline(opaque(cloth, width, height, step), 0.8),
    front: outlinesOf(front, 1.4),
    ...Object.fromEntries(await Promise.all(worn)),
  };
}

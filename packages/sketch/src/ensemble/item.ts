import { EngineError, type EngineImage, type EnginePicture, type RenderRequest } from '@atelier/engine';
import { legGap, type GarmentClass } from '../cutout/classify.js';
import { bounds, crop, cutOut, type CutOut } from '../cutout/cut-out.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import { Silhouette } from '../cutout/silhouette.js';
import type { Garment } from '../composition/garment.js';
import type { Raster } from '../drawing/rasterise.js';
import { encode } from '../encode.js';
import { paintGarment } from '../garments/draw-garment.js';
import { garmentFromMeta, type GarmentSpec } from '../garments/garment-spec.js';
import { flatten } from '../scene.js';
import { hangsByCut, paintToWear, type DrawnGarment } from './paint-to-wear.js';

export const ITEM_CATEGORIES = [
  'top',
  'bottom',
  'one_piece',
  'outerwear',
  'footwear',
  'bag',
  'headwear',
  'accessory',
] as const;
export type ItemCategory = (typeof ITEM_CATEGORIES)[number];

/** One thing to be put on, cut out of its picture. */
export interface Item extends Garment {
  readonly category: ItemCategory;
  /** Where its picture tells how it was drawn. */
  readonly spec?: GarmentSpec;
  /** Where besides its cut is known. */
  readonly drawn?: DrawnGarment;
}

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields =>
  // The body was validated; what is not an object has no fields.
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** What the caller says an item is; the picture's own meta or a top when the body says nothing. */
function categoryOf(request: RenderRequest, index: number, spec: GarmentSpec | undefined): ItemCategory {
  const items = request.body['items'];
  const said = fields(Array.isArray(items) ? items[index] : undefined);
  const named = said['trial_item_category'] ?? said['trial_image_category'];
  return ITEM_CATEGORIES.find((one) => one === named) ?? spec?.category.slot ?? 'top';
}

const SKIRTS: readonly string[] = [
  'skirt',
  'mini_skirt',
  'pleated_skirt',
  'pencil_skirt',
  'maxi_skirt',
  'lehenga',
  'dhoti',
];

/** How a thing is worn: only what hangs from shoulders or waist has a class that matters. */
function classOf(category: ItemCategory, shape: Silhouette, spec: GarmentSpec | undefined): GarmentClass {
  switch (category) {
    case 'top':
      return 'top';
    case 'outerwear':
      return 'outerwear';
    case 'one_piece':
      return 'dress';
    case 'bottom': {
      if (spec)
        return SKIRTS.includes(spec.category.key)
          ? 'skirt'
          : spec.category.key === 'shorts'
            ? 'shorts'
            : 'trousers';
      if (legGap(shape, 0.6) < 0.45) return 'skirt';
      return shape.height / shape.width > 1.35 ? 'trousers' : 'shorts';
    }
    case 'footwear':
    case 'bag':
    case 'headwear':
    case 'accessory':
      return 'top';
    default: {
      const unknown: never = category;
      throw new RangeError(`no such category: ${String(unknown)}`);
    }
  }
}

/** A drawing on a transparent ground needs no cutting: it is cropped, and its opacity is its outline. */
export function cutFromAlpha(raster: Raster): CutOut {
  const { data, width, height } = raster;
  const mask = new Uint8Array(width * height);
  for (let i = 0; i < mask.length; i++) mask[i] = (data[i * 4 + 3] ?? 0) > 127 ? 1 : 0;
  const box = bounds({ data: mask, width, height }, 2);
  const cropped = new Uint8Array(box.width * box.height * 4);
  for (let y = 0; y < box.height; y++) {
    const from = ((y + box.top) * width + box.left) * 4;
    cropped.set(data.subarray(from, from + box.width * 4), y * box.width * 4);
  }
  return {
    raster: { data: cropped, width: box.width, height: box.height },
    mask: crop({ data: mask, width, height }, box),
    coverage: mask.reduce((sum, v) => sum + v, 0) / mask.length,
  };
}

/** The parts of a drawn garment laid over each other as they were drawn. */
async function together({ arms, body }: DrawnGarment): Promise<Raster> {
  return arms ? flatten([arms, body], body.width, body.height) : body;
}

/** What is seen large on the figure and so is read in full. */
const CLOTHES: readonly ItemCategory[] = ['top', 'bottom', 'one_piece', 'outerwear'];

type Known = Pick<Item, 'cut' | 'spec' | 'drawn'>;

/** A thing of our own hand, drawn again as it looks when somebody wears it: necks open, nothing seen from behind. */
async function drawnAgain(spec: GarmentSpec, seed: number, density: number): Promise<Known> {
  if (hangsByCut(spec)) {
    const drawn = await paintToWear(spec, seed, density);
    return { spec, drawn, cut: cutFromAlpha(await together(drawn)) };
  }
  // Long clothes are seen larger on the figure than shoes and bags.
  const side = Math.round(density * (spec.category.slot === 'bottom' ? 112 : 62));
  const worn = spec.category.slot !== 'footwear';
  return { spec, cut: cutFromAlpha(await paintGarment(spec, seed, side, side, 0.98, worn)) };
}

async function readItem(
  request: RenderRequest,
  input: EngineImage,
  index: number,
  density: number,
): Promise<Item> {
  const known = garmentFromMeta(input.meta);
  const category = categoryOf(request, index, known);
  const spec = known?.category.slot === category ? known : undefined;
  const own = input.meta?.['seed'];
  const found: Known = spec
    ? await drawnAgain(spec, typeof own === 'number' ? own : 0, density)
    : {
        cut: await cutOut(
          input.bytes,
          Math.round(density * (CLOTHES.includes(category) ? 170 : 84)),
          input.name,
        ),
      };
  const shape = new Silhouette(found.cut.mask);
  return {
    ...found,
    name: input.name,
    category,
    shape,
    garmentClass: classOf(category, shape, spec),
    colours: dominantColours(found.cut.raster),
  };
}

const ORDER = /^item(?:-(\d+))?$/;

/**
 * Cuts every item out of its picture, in the caller's order.
 * @param density pixels per centimetre of a garment
 * @throws EngineError `bad_input` when there is no item, or one of them cannot be read or told from its background
 */
export async function readItems(
  request: RenderRequest,
  density: number,
  breathe: () => Promise<void>,
): Promise<Item[]> {
  const inputs = request.inputs
    .flatMap((input) => {
      const found = ORDER.exec(input.name);
      return found ? [{ input, index: Number(found[1] ?? 0) }] : [];
    })
    .sort((a, b) => a.index - b.index);
  if (inputs.length === 0)
    throw new EngineError('bad_input', 'items is empty. Name at least one picture of something to wear.');
  const items: Item[] = [];
  for (const { input, index } of inputs) {
    items.push(await readItem(request, input, index, density));
    await breathe();
  }
  return items;
}

export const itemFacts = ({ name, category, spec, colours, cut }: Item): Record<string, unknown> => ({
  name,
  category,
  ...(spec ? { category_key: spec.category.key } : {}),
  dominant_colour: colours[0]?.hex ?? '#808080',
  dominant_colours: colours,
  coverage: Math.round(cut.coverage * 1000) / 1000,
});

export const pictureOfItem = (item: Item): Promise<EnginePicture> =>
  encode(
    item.cut.raster,
    { kind: 'item_cutout', label: `The ${item.category.replace('_', '-')}, cut out`, meta: itemFacts(item) },
    { keepAlpha: true },
  );

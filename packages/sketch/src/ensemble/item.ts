import {
  EngineError,
  type EngineImage,
  type EnginePicture,
  type GarmentKind,
  type PictureMeta,
  type RenderContext,
  type RenderRequest,
} from '@atelier/engine';
import { breathe } from '../abort.js';
import { legGap, type GarmentClass } from '../cutout/classify.js';
import { cutOut, type CutOut } from '../cutout/cut-out.js';
import { dominantColours } from '../cutout/dominant-colours.js';
import { bounds, crop, shareOf } from '../cutout/mask.js';
import { Silhouette } from '../cutout/silhouette.js';
import type { Garment } from '../composition/garment.js';
import { cropped, type Raster } from '../drawing/rasterise.js';
import { encode } from '../encode.js';
import { paintGarment } from '../garments/draw-garment.js';
import { garmentFromMeta, type GarmentSpec } from '../garments/garment-spec.js';
import { flatten } from '../scene.js';
import { hangsByCut, paintToWear, type DrawnGarment } from './paint-to-wear.js';

type GarmentSlot = GarmentKind['slot'];

/** One thing to put on; its picture is the input `item-0`, `item-1`, … */
export interface TrialItemOrder {
  readonly trial_item_category: GarmentSlot;
}

/** One thing to be put on, cut out of its picture. */
export interface Item extends Garment {
  readonly category: GarmentSlot;
  /** Present if the picture's meta says how it was drawn. */
  readonly spec?: GarmentSpec;
  /** Present if its cut is known as well. */
  readonly drawn?: DrawnGarment;
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

/**
 * The class that decides how a thing is worn. It only matters for things that hang from the shoulders or the
 * waist.
 */
function classOf(category: GarmentSlot, shape: Silhouette, spec: GarmentSpec | undefined): GarmentClass {
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
      if (legGap(shape) < 0.45) return 'skirt';
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

/**
 * A drawing on a transparent background needs no cutting out. It is cropped, and its opacity gives the outline.
 */
function cutFromAlpha(raster: Raster): CutOut {
  const { data, width, height } = raster;
  const full = { data: new Uint8Array(width * height), width, height };
  for (let i = 0; i < full.data.length; i++) full.data[i] = (data[i * 4 + 3] ?? 0) > 127 ? 1 : 0;
  const box = bounds(full, 2);
  return { raster: cropped(raster, box), mask: crop(full, box), coverage: shareOf(full) };
}

/** The parts of a drawn garment, laid over each other in drawing order. */
async function together({ arms, body }: DrawnGarment): Promise<Raster> {
  return arms ? flatten([arms, body], body.width, body.height) : body;
}

/** Things that appear large on the figure, so their pictures are read at full size. */
const CLOTHES: readonly GarmentSlot[] = ['top', 'bottom', 'one_piece', 'outerwear'];

type Known = Pick<Item, 'cut' | 'spec' | 'drawn'>;

/** A thing that this engine drew, drawn again as it is worn: with an open neck, and without its back. */
async function drawnAgain(spec: GarmentSpec, seed: number, density: number): Promise<Known> {
  if (hangsByCut(spec)) {
    const drawn = await paintToWear(spec, seed, density);
    return { spec, drawn, cut: cutFromAlpha(await together(drawn)) };
  }
  // Long clothes appear larger on the figure than shoes and bags.
  const side = Math.round(density * (spec.category.slot === 'bottom' ? 112 : 62));
  const worn = spec.category.slot !== 'footwear';
  return { spec, cut: cutFromAlpha(await paintGarment(spec, seed, side, side, 0.98, worn)) };
}

async function readItem(
  category: GarmentSlot,
  input: EngineImage,
  density: number,
  context: RenderContext,
): Promise<Item> {
  const known = garmentFromMeta(input.meta, context);
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

/**
 * Cuts every item out of its picture, in the caller's order.
 * @param density pixels per centimetre of a garment
 * @throws EngineError `bad_input` when an item is missing, cannot be read, or does not stand out from its
 * background
 */
export async function readItems(
  { body, inputs }: RenderRequest<{ readonly items: readonly TrialItemOrder[] }>,
  density: number,
  context: RenderContext,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const [index, { trial_item_category: category }] of body.items.entries()) {
    const input = inputs.find(({ name }) => name === `item-${index}`);
    if (!input) throw new EngineError('bad_input', `item-${index} is missing. Send a picture of it.`);
    items.push(await readItem(category, input, density, context));
    await breathe(context.signal);
  }
  return items;
}

export const itemFacts = ({ name, category, spec, colours, cut }: Item): PictureMeta => ({
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

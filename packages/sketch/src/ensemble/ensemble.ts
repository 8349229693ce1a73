import type { PictureMeta, RenderRequest } from '@atelier/engine';
import type { CanvasOrder } from '../canvas-size.js';
import type { Casting } from '../casting/cast.js';
import { figureLayer, type Layer, frame } from '../scene.js';
import { breathe } from '../abort.js';
import type { PictureFacts } from '../encode.js';
import { inputOf, progress, report, type Easel } from '../composition/draw.js';
import { viewFacts, wearerFacts } from '../composition/facts.js';
import { personFacts, personFrom, type Person } from '../composition/person.js';
import type { Setting } from '../composition/setting.js';
import { silhouettes, type Worn } from '../composition/silhouettes.js';
import type { Slot } from '../cutout/classify.js';
import { drawPerson, present, type FigureLayers, type Canvas } from '../composition/subject.js';
import { seen, type View } from '../composition/view.js';
import { adorn, gloveColour, isSocks, underArms } from './adorn.js';
import { carry } from './carry.js';
import { dressAll, hemsOverShoes, type FullOutfit, type Clad } from './dress-all.js';
import { underHat, wearHat } from './headwear.js';
import { itemFacts, pictureOfItem, readItems, type Item, type TrialItemOrder } from './item.js';
import { drawShoesWorn } from './shoes-worn.js';
import { boxedLayers } from '../dressing/boxed-layer.js';
import { dress } from '../dressing/dress.js';
import type { Framing } from '../dressing/framing.js';
import type { Rig } from '../figure/rig.js';
import { carriedBy } from './wear-drawn.js';

/** One garment as it lies on the figure, back to front. */
async function layOne(clad: Clad, rig: Rig, framing: Framing, { width, height }: Canvas): Promise<Layer[]> {
  const { garment, fit, sleeves } = clad;
  if (garment.drawn) {
    const layers: Layer[] = [];
    for (const parts of carriedBy(garment.drawn, rig, clad))
      layers.push(...(await boxedLayers(parts, framing, width, height)));
    return layers;
  }
  const parts = sleeves ? fit.parts : fit.parts.filter(({ part }) => part === 'body');
  return [await dress(garment.cut, { ...fit, parts }, framing, width, height)];
}

/** Pixels per centimetre of a garment in a 1K picture. The figure has the same resolution. */
const DENSITY = 6;

/** The body of try-on and of look. */
export interface OutfitOrder extends CanvasOrder {
  readonly items: readonly TrialItemOrder[];
}

/** A person and all clothes to put on. */
interface Ensemble {
  readonly person: Person;
  readonly items: readonly Item[];
  readonly outfit: FullOutfit;
  readonly view: View;
}

/** Everything drawn, in groups from back to front. */
interface DressedLayers {
  readonly figure: FigureLayers;
  readonly all: readonly Layer[];
  /** All clothes on the person, and the parts of the body over them. */
  readonly stack: readonly Worn[];
}

/** Cuts the items out, finds the person, and puts the clothes on. The first stage shows the cut-outs. */
export async function assemble(
  easel: Easel,
  request: RenderRequest<OutfitOrder>,
  personInput: string,
): Promise<Ensemble> {
  const { context, size } = easel;
  const density = (DENSITY * Math.max(size.width, size.height)) / 1024;
  const items = await readItems(request, density, context);
  const said = items.map(({ category, spec }) =>
    (spec?.category.displayLabel ?? category.replace('_', '-')).toLowerCase(),
  );
  await report(
    easel,
    'item_cutouts',
    `Cut out: ${said.join(', ')}`,
    ...(await Promise.all(items.map(pictureOfItem))),
  );
  const usual: Casting = items.some(
    ({ category, spec }) => category === 'one_piece' && spec?.category.key !== 'dungarees',
  )
    ? { gender: 'FEMALE' }
    : {};
  const found = personFrom(inputOf(request, personInput), usual, request.seed);
  const person = { ...found, spec: underHat(found.spec, items) };
  const outfit = dressAll(person, items);
  return { person: found, items, outfit, view: fullLength(easel) };
}

/** From head to foot, with room for a hat. */
const fullLength = ({ size }: Easel): View =>
  seen(frame(size.width, size.height, 0, 900, 0.862, 0.082), 'full');

const of = (items: readonly Item[], category: Item['category']): Item[] =>
  items.filter((item) => item.category === category);

async function shoes({ outfit, items, view }: Ensemble, { size }: Easel): Promise<Layer[]> {
  const pair = of(items, 'footwear')[0];
  if (!pair) return [];
  return [
    await figureLayer(outfit.rig.spec, view.framing, size.width, size.height, (pens) =>
      drawShoesWorn(pens, outfit.rig, pair),
    ),
  ];
}

/** Maps a category of the request body to the slot that the clothes use. */
const SLOT_OF_CATEGORY = { top: 'upper', bottom: 'lower', outerwear: 'outer' } as const;

const slotOf = ({ category }: Item): Slot =>
  category === 'top' || category === 'bottom' || category === 'outerwear'
    ? SLOT_OF_CATEGORY[category]
    : category;

const layersOf = (worn: readonly Worn[]): Layer[] => worn.flatMap(({ layers }) => layers);

/** Draws the dressed person. A stage shows the clothes before the shoes, bag, hat and jewellery are added. */
export async function drawDressed(
  easel: Easel,
  ensemble: Ensemble,
  behind: readonly Layer[],
): Promise<DressedLayers> {
  const { outfit, items, view } = ensemble;
  const { size, context } = easel;
  const { framing } = view;
  const pause = (): Promise<void> => breathe(context.signal);
  const figure = await drawPerson(outfit, framing, size, false);
  await pause();
  const cloth: Worn[] = [];
  for (const clad of outfit.worn) {
    const layers = await layOne(clad, outfit.rig, framing, size);
    cloth.push({ slot: slotOf(clad.garment), layers });
    await pause();
  }
  const worn = async (chosen: readonly Item[]): Promise<Worn[]> => {
    const things: Worn[] = [];
    for (const item of chosen)
      things.push({ slot: slotOf(item), layers: await adorn(outfit, [item], framing, size) });
    return things;
  };
  const small = of(items, 'accessory').filter((item) => !isSocks(item));
  const socks = await worn(of(items, 'accessory').filter(isSocks));
  const under = await worn(small.filter(underArms));
  await pause();
  const feet: Worn[] = [...socks, { slot: 'footwear', layers: await shoes(ensemble, easel) }];
  const clothed = [
    ...present([figure.bare]),
    ...(hemsOverShoes(outfit)
      ? [...layersOf(feet), ...present([figure.base])]
      : [...present([figure.base]), ...layersOf(feet)]),
    ...layersOf([...cloth, ...under]),
    ...present([figure.over]),
  ];
  const facts: PictureFacts = {
    kind: 'dressed_layers',
    label: 'Dressed, before the last touches',
    meta: { layers: outfit.worn.map(({ fit }) => fit.garmentClass) },
  };
  await report(
    easel,
    'clothes',
    'The clothes are put on, from the skin outward',
    await progress(easel, [...behind, ...clothed], facts),
  );
  const over = await worn(small.filter((item) => !underArms(item)));
  await pause();
  const carried: Worn[] = [];
  for (const item of of(items, 'bag').slice(0, 1)) {
    const { bag, hand } = await carry(outfit, item, gloveColour(items), framing, size);
    carried.push({ slot: 'bag', layers: bag }, { slot: 'body', layers: hand });
  }
  for (const item of of(items, 'headwear').slice(0, 1))
    carried.push({ slot: 'headwear', layers: await wearHat(outfit, item, framing, size) });
  await pause();
  return {
    figure,
    all: [...clothed, ...layersOf([...over, ...carried])],
    stack: [
      ...feet,
      ...cloth,
      ...under,
      { slot: 'body', layers: present([figure.over]) },
      ...over,
      ...carried,
    ],
  };
}

/** The finished picture's meta: the person, each thing with its place, and the facts for finding them again. */
export async function ensembleFacts(
  easel: Easel,
  ensemble: Ensemble,
  drawn: DressedLayers,
  setting: Setting,
): Promise<PictureMeta> {
  const { person, items, outfit, view } = ensemble;
  const facts = personFacts(person);
  return {
    ...facts,
    person: facts,
    items: items.map(itemFacts),
    backdrop: setting.facts,
    seed: easel.request.seed,
    aspect_ratio: easel.asked.aspectRatio,
    resolution: easel.asked.resolution,
    view: viewFacts(view, easel.size),
    wearer: wearerFacts(outfit),
    silhouettes: await silhouettes(drawn.figure, drawn.stack, easel.size),
  };
}

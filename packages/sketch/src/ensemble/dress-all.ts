import type { Outfit } from '../composition/outfit.js';
import type { Person } from '../composition/person.js';
import type { Fit } from '../dressing/fit.js';
import { fitGarment } from '../dressing/fit-garment.js';
import { shade } from '../drawing/colour.js';
import { buildRig, type ArmPose, type Rig } from '../figure/rig.js';
import type { GarmentKind } from '@atelier/engine';
import type { Item } from './item.js';
import { hemOf, type Manner } from './body-drawn.js';
import type { DrawnGarment } from './paint-to-wear.js';
import { armsFor } from './wear-drawn.js';

/** From the skin outward. */
const LAYERS: readonly GarmentKind['slot'][] = ['bottom', 'top', 'one_piece', 'outerwear'];

const RANK = { base: 0, mid: 1, outer: 2, none: 1 } as const;

/** A garment on the figure. */
export interface Clad extends Manner {
  readonly garment: Item;
  readonly fit: Fit;
}

export interface FullOutfit extends Outfit {
  readonly worn: readonly Clad[];
}

/** Tops whose hem goes into the waistband. */
const TUCKED: readonly string[] = ['shirt', 'blouse', 'camisole', 'turtleneck', 'saree_blouse', 'swimsuit'];

const isTucked = ({ spec }: Item, items: readonly Item[]): boolean =>
  TUCKED.includes(spec?.category.key ?? '') &&
  items.some((item) => item.category === 'bottom' || OVER_TOP.includes(item.spec?.category.key ?? ''));

/** One-pieces that are worn over a top. All others are worn under a pullover. */
const OVER_TOP: readonly string[] = ['saree', 'dungarees'];

/** Clothes in the order of dressing; within a layer, clothes made to lie over others come later. */
const clothes = (items: readonly Item[]): Item[] => {
  const place = (item: Item): number => {
    if (isTucked(item, items)) return -1;
    const base = item.category === 'one_piece' && item.spec?.category.layer !== 'mid';
    return base ? 0.5 : LAYERS.indexOf(item.category);
  };
  const rank = ({ spec }: Item): number => RANK[spec?.category.layer ?? 'mid'];
  return items
    .filter(({ category }) => LAYERS.includes(category))
    .sort((a, b) => place(a) - place(b) || rank(a) - rank(b));
};

/** The fit of a garment whose cut is known. Its meshes are made when it is laid on the figure. */
function drawnFit(item: Item, drawn: DrawnGarment): Fit {
  const { sleeve } = drawn.frame;
  const none = new Uint8Array(0);
  const bare = item.category === 'bottom';
  const covered = sleeve !== undefined || item.spec?.category.key === 'cape';
  return {
    garmentClass: item.garmentClass,
    parts: [],
    owns: { body: none, left: none, right: none },
    legwear: 0,
    armsInFront: covered ? 'none' : bare ? 'all' : 'forearms',
    hem: hemOf(drawn),
  };
}

const fitOf = (item: Item, rig: Rig): Fit =>
  item.drawn ? drawnFit(item, item.drawn) : fitGarment(item.shape, rig, item.garmentClass);

const sleeved = (item: Item, fit: Fit): boolean =>
  item.drawn ? item.drawn.frame.sleeve !== undefined : fit.parts.some(({ part }) => part !== 'body');

const CLOSE_FITTING: readonly string[] = ['leggings', 'churidar', 'joggers'];

const LEGGED: readonly string[] = ['jumpsuit', 'dungarees'];

function baseOf(worn: readonly Clad[], items: readonly Item[]): Outfit['base'] {
  const lower = worn.find(({ garment }) => garment.category === 'bottom');
  const whole = worn.find(({ garment }) => garment.category === 'one_piece');
  const key = whole?.garment.spec?.category.key ?? '';
  const top = worn.some(({ garment }) => garment.category === 'top');
  const vest = !top && (!whole || OVER_TOP.includes(key));
  const lined = (colour: string | undefined, legwear: number): Outfit['base'] => ({
    legwear,
    vest,
    lining: shade(colour ?? '#555555', -6),
  });
  const hose = items.find(({ spec }) => spec?.category.key === 'tights')?.colours[0]?.hex;
  if (hose && (whole || lower?.fit.garmentClass === 'skirt')) return { legwear: 1, vest, lining: hose };
  if (lower) {
    return lower.fit.lining
      ? lined(lower.garment.colours[0]?.hex, lower.fit.legwear)
      : { legwear: lower.fit.legwear, vest };
  }
  if (whole) return LEGGED.includes(key) ? lined(whole.garment.colours[0]?.hex, 0.9) : { legwear: 0, vest };
  return { legwear: 0.9, vest };
}

/** Whether wide hems cover the shoes. If not, boots cover close-fitting legs. */
export const hemsOverShoes = ({ worn }: FullOutfit): boolean =>
  worn.some(({ garment, fit }) => {
    const key = garment.spec?.category.key ?? '';
    if (CLOSE_FITTING.includes(key)) return false;
    return LEGGED.includes(key) || (garment.category === 'bottom' && fit.garmentClass === 'trousers');
  });

function posed(person: Person, order: readonly Item[]): { rig: Rig; outermost: number } {
  const first = buildRig(person.spec);
  const trial = order.map((item) => fitOf(item, first));
  const outermost = order.findLastIndex((item, i) => trial[i] !== undefined && sleeved(item, trial[i]));
  const arms: Partial<Record<'left' | 'right', ArmPose>> | undefined = order[outermost]?.drawn
    ? armsFor(first)
    : trial[outermost]?.arms;
  return { rig: arms ? buildRig(person.spec, arms) : first, outermost };
}

/** Puts all clothes on a person. The arms follow the outermost sleeves. */
export function dressAll(person: Person, items: readonly Item[]): FullOutfit {
  const order = clothes(items);
  const { rig, outermost } = posed(person, order);
  const worn = order.map((garment, i): Clad => ({
    garment,
    fit: fitOf(garment, rig),
    sleeves: i >= outermost,
    tucked: isTucked(garment, items),
    under: order.slice(i + 1).some(({ category }) => category === 'outerwear'),
  }));
  const uppers = worn.filter(({ garment }) => garment.category !== 'bottom');
  const covering = uppers.find(({ fit }) => fit.armsInFront === 'none') ?? worn[outermost];
  const collars = worn.flatMap(({ fit }) => (fit.collar === undefined ? [] : [fit.collar]));
  return {
    person,
    rig,
    worn,
    base: baseOf(worn, items),
    armsInFront: covering?.fit.armsInFront ?? (uppers.length > 0 ? 'forearms' : 'all'),
    ...(collars.length > 0 ? { collar: Math.min(...collars) } : {}),
    hem: Math.max(0, ...worn.map(({ fit }) => fit.hem)),
  };
}

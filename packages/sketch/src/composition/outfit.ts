import type { GarmentClass } from '../cutout/classify.js';
import type { Fit } from '../dressing/fit.js';
import { fitGarment } from '../dressing/fit-garment.js';
import { shade } from '../drawing/colour.js';
import { buildRig, type Rig } from '../figure/rig.js';
import type { Garment } from './garment.js';
import type { Person } from './person.js';

interface Worn {
  readonly garment: Garment;
  readonly fit: Fit;
}

/** A posed person and the clothes. */
export interface Outfit {
  readonly person: Person;
  readonly rig: Rig;
  /** From the skin outward. */
  readonly worn: readonly Worn[];
  /**
   * The base wear that is drawn where garments are missing: the length of trousers on the leg (0: none), and
   * the vest.
   */
  readonly base: { readonly legwear: number; readonly vest: boolean; readonly lining?: string };
  readonly armsInFront: Fit['armsInFront'];
  readonly collar?: number;
  /** Lowest point of the garments in figure units. */
  readonly hem: number;
}

type Slot = 'lower' | 'upper' | 'outer';

const SLOTS: Readonly<Record<GarmentClass, Slot>> = {
  skirt: 'lower',
  trousers: 'lower',
  shorts: 'lower',
  top: 'upper',
  dress: 'upper',
  outerwear: 'outer',
};

/** One garment for each slot, in the order of dressing. The first garment for a slot wins. */
function sorted(garments: readonly Garment[]): Partial<Record<Slot, Garment>> {
  const taken: Partial<Record<Slot, Garment>> = {};
  for (const garment of garments) taken[SLOTS[garment.garmentClass]] ??= garment;
  return taken;
}

/** A covered sleeve is left out, so that two sleeves of different cuts never lie on one arm. */
const withoutSleeves = (fit: Fit): Fit => ({
  ...fit,
  parts: fit.parts.filter(({ part }) => part === 'body'),
});

function baseWear(lower: Worn | undefined, upper: Worn | undefined): Outfit['base'] {
  const vest = upper === undefined;
  if (!lower) return { legwear: upper?.fit.garmentClass === 'dress' ? 0 : 0.9, vest };
  const [colour] = lower.garment.colours;
  const lining = lower.fit.lining ? { lining: shade(colour?.hex ?? '#555555', -6) } : {};
  return { legwear: lower.fit.legwear, vest, ...lining };
}

/** Dresses a person. The figure gets a pose that suits the garments: the arms follow the outermost sleeves. */
export function dressPerson(person: Person, garments: readonly Garment[]): Outfit {
  const taken = sorted(garments);
  const first = buildRig(person.spec);
  const outermost = taken.outer ?? taken.upper;
  const arms = outermost && fitGarment(outermost.shape, first, outermost.garmentClass).arms;
  const rig = arms ? buildRig(person.spec, arms) : first;
  const wear = (garment: Garment): Worn => ({
    garment,
    fit: fitGarment(garment.shape, rig, garment.garmentClass),
  });
  const lower = taken.lower && wear(taken.lower);
  const outer = taken.outer && wear(taken.outer);
  const under = taken.upper && wear(taken.upper);
  const upper = under && outer ? { ...under, fit: withoutSleeves(under.fit) } : under;
  const worn = [lower, upper, outer].filter((one): one is Worn => one !== undefined);
  const collars = worn.flatMap(({ fit }) => (fit.collar === undefined ? [] : [fit.collar]));
  return {
    person,
    rig,
    worn,
    base: baseWear(lower, upper ?? outer),
    armsInFront: (outer ?? upper)?.fit.armsInFront ?? 'all',
    ...(collars.length > 0 ? { collar: Math.min(...collars) } : {}),
    hem: Math.max(0, ...worn.map(({ fit }) => fit.hem)),
  };
}

/** Whether no garment below the hips has to be visible, so that the picture may end above the feet. */
export const onlyUpper = ({ worn, hem }: Outfit): boolean =>
  hem < 560 && worn.every(({ garment }) => ['top', 'outerwear'].includes(garment.garmentClass));

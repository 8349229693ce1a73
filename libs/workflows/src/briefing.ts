import type { Brief, BriefInput, BriefRole, BriefStep, PictureOrder } from '@atelier/engine';
import type { GarmentCategory, GarmentSlot } from '#domain/garment/garment-categories.js';
import {
  outputRatios,
  type AspectRatio,
  type OutputPreset,
  type Resolution,
  type TrialItem,
} from './common-fields.js';

/*
 * The words that several briefs share. They follow the vendors' advice: number the inputs and give each its part, name
 * what must stay, state the change in one clear sentence, and describe photographs like a photographer.
 */

/** The known facts about a picture of the job, beside its pixels. */
export interface KnownPicture {
  readonly name: string;
  readonly meta?: Known | undefined;
}

export type Known = Readonly<Record<string, unknown>>;

export interface BriefFacts<Body> {
  readonly body: Body;
  /** The pictures that the body refers to. The engine gets no others. */
  readonly pictures: readonly KnownPicture[];
  /** The category of `garment_category_public_id`, in bodies with that field. */
  readonly category: GarmentCategory | undefined;
  readonly displayName: string;
  /** For a photograph of a batch: the arms that its parent job has not done. Absent: all. */
  readonly arms?: readonly string[] | undefined;
}

export const identity = "the person's face, identity, expression, hair, skin tone and body shape";
export const pose = "the person's pose, and where they stand in the frame";
export const garmentFidelity =
  "each garment's colour, pattern, prints, logos, material, cut, length, seams and closures, as its own image shows them";
export const naturalCloth =
  'Let the cloth hang on the body as its material would, with folds, tension, overlaps and soft contact shadows, and light it as the person is lit.';
export const photograph =
  'The result is one photorealistic fashion photograph with natural skin and fabric texture.';

export const noText = 'add text, captions, watermarks, borders or logos that no input image shows';
/** Faults that no picture with people may have. */
export const neverAdded = [noText, 'show extra, missing or fused fingers, limbs or parts of garments'];
export const noBeautifying = 'beautify, slim, age, lighten or otherwise change the face or the body';
export const noForeignGarments = 'add garments, jewellery, bags or headwear that no input image shows';
export const onlyTheGarment =
  'carry over anything of a garment image but the garment: no hanger, mannequin, other person or background';

const pixelsOf: Readonly<Record<Resolution, number>> = { '1K': 1024, '2K': 2048, '4K': 4096 };

/** The format of a picture: `aspect_ratio` wins over `output_preset`. */
export function formatOf(
  body: {
    readonly aspect_ratio?: AspectRatio;
    readonly output_preset?: OutputPreset;
    readonly resolution?: Resolution;
  },
  otherwise: PictureOrder['ratio'],
): Pick<PictureOrder, 'ratio' | 'longSide'> {
  const { aspect_ratio: ratio, output_preset: preset, resolution = '1K' } = body;
  return { ratio: ratio ?? (preset ? outputRatios[preset] : otherwise), longSide: pixelsOf[resolution] };
}

/** An edit keeps the framing of its image. A different format needs a sentence about the missing or surplus parts. */
export function reframed({ ratio }: Pick<PictureOrder, 'ratio'>): string {
  if (ratio === 'input') return '';
  return 'Extend or crop the surroundings naturally to fill the new format, without stretching anything.';
}

/** The one picture that most workflows order. */
export function pictureOrder(
  order: Omit<PictureOrder, 'kind' | 'optional' | 'transparent' | 'count'> &
    Partial<Pick<PictureOrder, 'optional' | 'transparent' | 'count'>>,
): PictureOrder {
  return { kind: 'picture', optional: false, transparent: false, count: 1, ...order };
}

export function onePicture(order: Parameters<typeof pictureOrder>[0]): Brief {
  return { steps: [pictureOrder(order)] };
}

export function input(name: string, role: BriefRole, part: string): BriefInput {
  return { source: { input: name }, role, part };
}

export function made(step: BriefStep['name'], role: BriefRole, part: string): BriefInput {
  return { source: { step }, role, part };
}

export function metaOf(pictures: readonly KnownPicture[], name: string): Known | undefined {
  return pictures.find((picture) => picture.name === name)?.meta;
}

export function isKnown(value: unknown): value is Known {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A short text; undefined for a value that is not text, or is empty. */
export function word(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function words(values: unknown): string[] {
  return Array.isArray(values) ? values.flatMap((value) => word(value) ?? []) : [];
}

/** `a, b and c` */
export function listed(items: readonly string[], last: 'and' | 'or' = 'and'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** Joins the sentences, and leaves out those that are undefined. */
export function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part).join(' ');
}

const slotNouns: Readonly<Record<GarmentSlot, string>> = {
  top: 'top',
  bottom: 'garment for the lower body',
  one_piece: 'one-piece garment',
  outerwear: 'outer layer',
  footwear: 'footwear',
  bag: 'bag',
  headwear: 'headwear',
  accessory: 'accessory',
};

/** How a piece is worn, if its kind does not make that plain. */
const wornAs: Readonly<Record<GarmentSlot, string>> = {
  top: 'worn on the upper body',
  bottom: 'worn on the lower body',
  one_piece: 'worn as the main garment, in place of what covers upper and lower body',
  outerwear: 'worn over the other garments',
  footwear: 'worn on the feet',
  bag: 'carried in the way that suits its strap or handle',
  headwear: 'worn on the head',
  accessory: 'worn where an accessory of its kind is worn',
};

/** The known facts of a garment, for example ` It is striped, made of linen, in sage.`; empty if none are known. */
function garmentFacts(meta: Known | undefined): string {
  const facts = isKnown(meta?.['garment']) ? { ...meta, ...meta['garment'] } : meta;
  const colour = word(facts?.['primary_colour']) ?? word(facts?.['colour']);
  const material = word(facts?.['material']);
  const pattern = word(facts?.['pattern']);
  const known = [pattern, material && `made of ${material}`, colour && `in ${colour}`].filter((fact) => fact);
  return known.length > 0 ? ` It is ${known.join(', ')}.` : '';
}

/** A garment among the inputs, with what the picture's `meta` says about it. */
export function garmentInput(pictures: readonly KnownPicture[], name: string, part: string): BriefInput {
  return input(name, 'garment', part + garmentFacts(metaOf(pictures, name)));
}

/** The garments of an outfit as inputs, `item-0` first. */
export function outfitInputs(items: readonly TrialItem[], pictures: readonly KnownPicture[]): BriefInput[] {
  return items.map(({ trial_item_category: slot }, index) =>
    garmentInput(pictures, `item-${index}`, `the ${slotNouns[slot]}, ${wornAs[slot]}.`),
  );
}

/**
 * `wear the top of image 2 and the footwear of image 3, and carry the bag of image 4`, in the form that the
 * sentence needs.
 */
export function outfitWords(
  items: readonly TrialItem[],
  first: number,
  [wear, carry]: readonly [wear: string, carry: string],
): string {
  const things = items.map(({ trial_item_category: slot }, index) => ({
    carried: slot === 'bag',
    words: `the ${slotNouns[slot]} of image ${first + index}`,
  }));
  const said = (verb: string, carried: boolean) => {
    const words = things.flatMap((thing) => (thing.carried === carried ? thing.words : []));
    return words.length > 0 ? [`${verb} ${listed(words)}`] : [];
  };
  return [...said(wear, false), ...said(carry, true)].join(', and ');
}

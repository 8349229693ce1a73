import { EngineError, type GarmentKind, type RenderContext } from '@atelier/engine';
import { factsIn, type Facts } from '../facts.js';
import { colourOf, coloursIn } from '../drawing/colour-words.js';

type GarmentFit = 'slim' | 'regular' | 'loose';

/** The look-up of the kinds of garment. */
type KnownGarments = Pick<RenderContext, 'garmentKind'>;

/** All facts for drawing a garment. They come from any of the three forms of the body. */
export interface GarmentSpec {
  readonly category: GarmentKind;
  /** In the caller's words. */
  readonly colour: string;
  /** Hex colours: the ground first, then the caller's others. */
  readonly colours: readonly string[];
  readonly material: string;
  readonly pattern: string;
  readonly fit: GarmentFit;
  readonly form: string;
  readonly length: string;
  readonly details: readonly string[];
  readonly direction: string;
}

/** A word of a list, or `custom` with the caller's own words. */
interface PresetOrCustom {
  readonly preset: string;
  readonly custom_text?: string;
}

/** The body of complementary-garment-generator: the garment in one of three forms. */
export interface GarmentOrder {
  readonly garment_category_public_id: string;
  readonly authoring?: {
    readonly primary_colour: string;
    readonly material: string;
    readonly pattern?: string;
    readonly form?: PresetOrCustom;
    readonly length?: PresetOrCustom;
    readonly distinctive_details?: readonly PresetOrCustom[];
    readonly creative_direction?: string;
  };
  readonly attributes?: {
    readonly colour?: string;
    readonly material?: string;
    readonly pattern?: string;
    readonly fit?: GarmentFit;
    readonly length?: string;
  };
  readonly color?: string;
  readonly material?: string;
  readonly pattern?: string;
  readonly fit?: GarmentFit;
  readonly length?: string;
}

/** The words about a garment. */
interface Said {
  readonly colour?: string | undefined;
  readonly material?: string | undefined;
  readonly pattern?: string | undefined;
  readonly fit?: string | undefined;
  readonly form?: string | undefined;
  readonly length?: string | undefined;
  readonly details?: readonly string[] | undefined;
  readonly direction?: string | undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Joins a preset's name and the caller's own words into one phrase. */
function phrase({ preset, custom_text: custom = '' }: PresetOrCustom): string {
  const words = [preset.trim() === 'custom' ? '' : preset.trim(), custom.trim()];
  return words.filter(Boolean).join(' ').replace(/_/g, ' ');
}

function fitFrom(words: string): GarmentFit {
  if (/\b(slim|skinny|fitted|tailored|body ?con|tight|narrow)\b/i.test(words)) return 'slim';
  return /\b(loose|relaxed|oversized?|boxy|wide|roomy|baggy)\b/i.test(words) ? 'loose' : 'regular';
}

/** The default material and look of a garment in a slot. */
const USUAL: Readonly<Record<GarmentKind['slot'], readonly [colour: string, material: string]>> = {
  top: ['ivory', 'cotton'],
  bottom: ['slate', 'cotton twill'],
  one_piece: ['sage', 'crepe'],
  outerwear: ['camel', 'wool'],
  footwear: ['tan', 'leather'],
  bag: ['cognac', 'leather'],
  headwear: ['sand', 'cotton'],
  accessory: ['burgundy', 'silk'],
};

const JEWELLERY: readonly string[] = ['necklace', 'earrings', 'bangles', 'bracelet', 'watch'];

function usual(category: GarmentKind): readonly [colour: string, material: string] {
  if (JEWELLERY.includes(category.key)) return ['gold', 'gold'];
  return category.key === 'sunglasses' ? ['black', 'acetate'] : USUAL[category.slot];
}

function specOf(category: GarmentKind, said: Said): GarmentSpec {
  const [colour, material] = usual(category);
  const words = said.colour?.trim() || colour;
  const { form = '', fit = '', length = '', details = [], direction = '' } = said;
  const pattern = said.pattern?.trim() || 'solid';
  const named = coloursIn(words);
  return {
    category,
    colour: words,
    colours: [...(named.length > 0 ? named : [colourOf(words)]), ...coloursIn(pattern)],
    material: said.material?.trim() || material,
    pattern,
    fit: fitFrom(`${fit} ${form}`),
    form,
    length: length.trim(),
    details: details.filter(Boolean).slice(0, 3),
    direction: direction.trim(),
  };
}

/**
 * The garment that a body describes: by its `authoring`, its `attributes`, or its flat fields.
 * @throws EngineError `bad_input` for a category that is not in the taxonomy
 */
export function garmentFromBody(body: GarmentOrder, { garmentKind }: KnownGarments): GarmentSpec {
  const category = garmentKind(body.garment_category_public_id);
  if (!category) {
    throw new EngineError(
      'bad_input',
      'garment_category_public_id names no garment category. GET /v1/garment-categories lists them.',
    );
  }
  const { authoring, attributes } = body;
  if (!authoring) return specOf(category, attributes ?? { ...body, colour: body.color });
  const { form, length } = authoring;
  return specOf(category, {
    colour: authoring.primary_colour,
    material: authoring.material,
    pattern: authoring.pattern,
    form: form && phrase(form),
    length: length && phrase(length),
    details: authoring.distinctive_details?.map(phrase),
    direction: authoring.creative_direction,
  });
}

/** The part of an artifact's `meta` from which the same garment can be drawn again. */
export const garmentFacts = (spec: GarmentSpec): Record<string, unknown> => ({
  category_public_id: spec.category.publicId,
  colour: spec.colour,
  material: spec.material,
  pattern: spec.pattern,
  fit: spec.fit,
  form: spec.form,
  length: spec.length,
  details: spec.details,
  direction: spec.direction,
});

/** The garment in a picture's `meta`; undefined if there is none. */
export function garmentFromMeta(
  meta: Facts | undefined,
  { garmentKind }: KnownGarments,
): GarmentSpec | undefined {
  const facts = factsIn(meta?.['garment']);
  const category = garmentKind(text(facts['category_public_id']));
  if (!category) return undefined;
  const said = (name: string): string => text(facts[name]);
  const details = facts['details'];
  return specOf(category, {
    colour: said('colour'),
    material: said('material'),
    pattern: said('pattern'),
    fit: said('fit'),
    form: said('form'),
    length: said('length'),
    details: Array.isArray(details) ? details.map(text) : [],
    direction: said('direction'),
  });
}

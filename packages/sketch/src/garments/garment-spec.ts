import { categoryById, type GarmentCategory } from '@atelier/engine/garment-categories';
import { EngineError } from '@atelier/engine';
import { colourOf, coloursIn } from '../drawing/colour-words.js';

export type GarmentFit = 'slim' | 'regular' | 'loose';

/** Everything that a garment is drawn from, whichever of the three bodies it came in. */
export interface GarmentSpec {
  readonly category: GarmentCategory;
  /** As the caller said it. */
  readonly colour: string;
  /** Hex: the ground, then what else the caller named. */
  readonly colours: readonly string[];
  readonly material: string;
  readonly pattern: string;
  readonly fit: GarmentFit;
  readonly form: string;
  readonly length: string;
  readonly details: readonly string[];
  readonly direction: string;
}

type Fields = Readonly<Record<string, unknown>>;

const record = (value: unknown): Fields | undefined =>
  // Parameters were validated before they came here; an array would have been refused.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** A preset's name and the caller's own words, read as one phrase. */
function choice(value: unknown): string {
  const chosen = record(value);
  if (!chosen) return text(value);
  const preset = text(chosen['preset']);
  const words = [preset === 'custom' ? '' : preset, text(chosen['custom_text'])];
  return words.filter(Boolean).join(' ').replace(/_/g, ' ');
}

function fitFrom(words: string): GarmentFit {
  if (/\b(slim|skinny|fitted|tailored|body ?con|tight|narrow)\b/i.test(words)) return 'slim';
  return /\b(loose|relaxed|oversized?|boxy|wide|roomy|baggy)\b/i.test(words) ? 'loose' : 'regular';
}

/** What a garment of a slot is made of and looks like when the caller leaves it open. */
const USUAL: Readonly<Record<GarmentCategory['slot'], readonly [colour: string, material: string]>> = {
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

function usual(category: GarmentCategory): readonly [colour: string, material: string] {
  if (JEWELLERY.includes(category.key)) return ['gold', 'gold'];
  return category.key === 'sunglasses' ? ['black', 'acetate'] : USUAL[category.slot];
}

function specOf(category: GarmentCategory, said: Fields): GarmentSpec {
  const [colour, material] = usual(category);
  const words = text(said['colour']) || colour;
  const form = choice(said['form']);
  const details = Array.isArray(said['details']) ? said['details'].map(choice).filter(Boolean) : [];
  const pattern = text(said['pattern']) || 'solid';
  const named = coloursIn(words);
  return {
    category,
    colour: words,
    colours: [...(named.length > 0 ? named : [colourOf(words)]), ...coloursIn(pattern)],
    material: text(said['material']) || material,
    pattern,
    fit: fitFrom(`${text(said['fit'])} ${form}`),
    form,
    length: choice(said['length']),
    details: details.slice(0, 3),
    direction: text(said['direction']),
  };
}

/**
 * Reads the body of complementary-garment-generator: the `authoring` object, the nested `attributes`, or flat fields.
 * @throws EngineError `bad_input` for a category that is not in the taxonomy
 */
export function garmentFromBody(body: Fields): GarmentSpec {
  const category = categoryById(text(body['garment_category_public_id']));
  if (!category) {
    throw new EngineError(
      'bad_input',
      'garment_category_public_id names no garment category. GET /v1/garment-categories lists them.',
    );
  }
  const authoring = record(body['authoring']);
  if (authoring) {
    return specOf(category, {
      ...authoring,
      colour: authoring['primary_colour'],
      details: authoring['distinctive_details'],
      direction: authoring['creative_direction'],
    });
  }
  const attributes = record(body['attributes']);
  return specOf(category, attributes ?? { ...body, colour: body['color'] });
}

/** What goes into an artifact's `meta`, so that the same garment can be drawn again. */
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

/** The garment that a picture's `meta` speaks of; undefined where it speaks of none. */
export function garmentFromMeta(meta: Fields | undefined): GarmentSpec | undefined {
  const facts = record(meta?.['garment']);
  const category = facts ? categoryById(text(facts['category_public_id'])) : undefined;
  return facts && category ? specOf(category, facts) : undefined;
}

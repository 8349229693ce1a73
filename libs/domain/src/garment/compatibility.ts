import type { GarmentCategory, Season } from './garment-categories.js';

type Rule = (a: GarmentCategory, b: GarmentCategory) => string | undefined;

/** The garment's name, with an article if it takes one: "a T-shirt", "an abaya", "trousers". */
function called({ displayLabel }: GarmentCategory): string {
  const word = /^(T-|Nehru)/.test(displayLabel) ? displayLabel : displayLabel.toLowerCase();
  if (/[^s]s$/.test(word)) return word;
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}

const opening = (category: GarmentCategory): string => {
  const words = called(category);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const shared = <T>(a: readonly T[], b: readonly T[]): T[] => a.filter((entry) => b.includes(entry));

/** The garment that fills the slot, and the other one; undefined unless exactly one of the two fills it. */
function apart(
  a: GarmentCategory,
  b: GarmentCategory,
  slot: GarmentCategory['slot'],
): readonly [inSlot: GarmentCategory, other: GarmentCategory] | undefined {
  if (a.slot === slot && b.slot !== slot) return [a, b];
  return b.slot === slot && a.slot !== slot ? [b, a] : undefined;
}

/**
 * Accessories share one slot but are worn in different places. Layers of one slot go over each other, like a
 * skirt over leggings. A waistcoat goes under a jacket with sleeves.
 */
const sameSlot: Rule = (a, b) => {
  if (a.slot !== b.slot || a.slot === 'accessory') return undefined;
  const layered = a.slot !== 'one_piece' && a.layer !== b.layer;
  const sleeved = [a, b].filter((c) => c.covers.includes('arms')).length;
  if (layered || (a.slot === 'outerwear' && sleeved === 1)) return undefined;
  return `${opening(a)} and ${called(b)} take the same place in an outfit.`;
};

/** These one-pieces have separate legs, so trousers or leggings do not fit with them. */
const TROUSERED: readonly string[] = ['jumpsuit', 'dungarees'];

const coveredByOnePiece: Rule = (a, b) => {
  const [whole, part] = apart(a, b, 'one_piece') ?? [];
  if (!whole || !part) return undefined;
  const message = `With ${called(whole)} there is no place left for ${called(part)}.`;
  if (part.slot === 'bottom') {
    const coversLegs = shared(whole.covers, ['legs', 'thighs']).length > 0;
    return coversLegs && (part.layer !== 'base' || TROUSERED.includes(whole.key)) ? message : undefined;
  }
  if (part.slot !== 'top') return undefined;
  // A pullover goes over a dress, and a thin top under a saree or dungarees. A second garment of the same layer
  // does not fit.
  return part.layer === whole.layer ? message : undefined;
};

const layerOrder: Rule = (a, b) => {
  const [whole, under] = apart(a, b, 'one_piece') ?? [];
  if (whole?.layer === 'mid' && under?.slot === 'top' && under.layer === 'base') {
    const bunches = under.covers.includes('hips');
    if (bunches) return `${opening(under)} is too long to be worn under ${called(whole)}.`;
  }
  const [over, top] = apart(a, b, 'outerwear') ?? [];
  const sleeved = top?.slot === 'top' && top.layer === 'mid' && top.covers.includes('arms');
  return over && top && sleeved && !over.covers.includes('arms')
    ? `${opening(over)} goes over a thin layer, not over ${called(top)}.`
    : undefined;
};

const SMALL_SLOTS: readonly string[] = ['accessory', 'headwear', 'footwear'];

/** Small things worn in the same place: a tie and a scarf may share the neck, two ties may not. */
const occupiedBodyPart: Rule = (a, b) => {
  const small = [a, b].filter((c) => SMALL_SLOTS.includes(c.slot)).length;
  const parts = shared(a.covers, b.covers).filter((part) => part !== 'legs' && part !== 'calves');
  const toes = parts.includes('toes') && (a.slot === 'footwear' || b.slot === 'footwear');
  const sameLayer = a.layer === b.layer || toes;
  const differ = a.slot !== b.slot || a.slot === 'accessory';
  const [part] = parts;
  return small > 0 && part && sameLayer && differ
    ? `${opening(a)} and ${called(b)} would both be worn at the ${part.replace('_', ' ')}.`
    : undefined;
};

/**
 * One step of formality between the two is a choice, such as business with ceremony; two steps are a mistake.
 */
const formalityMismatch: Rule = (a, b) => {
  const [festive, plain] = a.formality[0] > b.formality[0] ? [a, b] : [b, a];
  return festive.formality[0] - plain.formality[1] > 1
    ? `Beside ${called(plain)}, ${called(festive)} would be too formal.`
    : undefined;
};

const listed = (seasons: readonly Season[]): string => seasons.join(' and ');

const seasonMismatch: Rule = (a, b) =>
  shared(a.seasons, b.seasons).length === 0
    ? `${opening(a)} for ${listed(a.seasons)} and ${called(b)} for ${listed(b.seasons)} share no season.`
    : undefined;

const traditionMismatch: Rule = (a, b) => {
  const [strict, other] = a.traditional ? [a, b] : [b, a];
  const foreign = other.tradition !== 'universal' && other.tradition !== strict.tradition;
  return strict.traditional && foreign
    ? `${opening(strict)} is worn in the manner of its own tradition, without ${called(other)}.`
    : undefined;
};

const RULES = {
  same_slot: sameSlot,
  covered_by_one_piece: coveredByOnePiece,
  layer_order: layerOrder,
  occupied_body_part: occupiedBodyPart,
  formality_mismatch: formalityMismatch,
  season_mismatch: seasonMismatch,
  tradition_mismatch: traditionMismatch,
} satisfies Record<string, Rule>;

export type CompatibilityCode = keyof typeof RULES;

/**
 * Whether two garments may be shown on one person in one picture. Their order does not matter. The rules judge
 * kinds of garment, never colours or a single piece.
 * @returns a reason for each broken rule, with a sentence for people that names both garments
 */
export function judge(product: GarmentCategory, candidate: GarmentCategory) {
  // `Object.entries` forgets the type of the keys.
  const reasons = (Object.entries(RULES) as [CompatibilityCode, Rule][]).flatMap(([code, rule]) => {
    const message = rule(product, candidate);
    return message ? [{ code, message }] : [];
  });
  return { compatible: reasons.length === 0, reasons };
}

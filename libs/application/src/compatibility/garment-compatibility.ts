import { categoryById, GARMENT_SLOTS, type GarmentCategory } from '#domain/garment/garment-categories.js';
import { judge } from '#domain/garment/compatibility.js';

export interface CandidateVerdict {
  /** The candidate, as the caller named it. */
  readonly publicId: string;
  readonly compatible: boolean;
  /** Empty when it is compatible. */
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a catalogue garment may be shown with the product. A generated garment knows its category. One that
 * was read from a photograph may only know where on the body it is worn.
 * @param attributes of the candidate's catalogue entry; undefined: the caller has no garment with this id
 */
export function verdictOn(
  publicId: string,
  product: GarmentCategory,
  attributes: Fields | undefined,
): CandidateVerdict {
  if (!attributes) {
    return refusal(publicId, 'catalog_ref_missing', 'There is no such garment in your catalogue.');
  }
  const garment = isFields(attributes['garment']) ? attributes['garment'] : {};
  const categoryId = attributes['garment_category_public_id'] ?? garment['category_public_id'];
  const category = typeof categoryId === 'string' ? categoryById(categoryId) : undefined;
  if (category) return { publicId, ...judge(product, category) };
  const slot = GARMENT_SLOTS.find((each) => each === (attributes['slot'] ?? garment['slot']));
  return slot
    ? verdictOnSlot(publicId, product, slot)
    : refusal(publicId, 'category_unknown', 'The kind of this garment is unknown.');
}

function verdictOnSlot(
  publicId: string,
  { slot: taken, displayLabel }: GarmentCategory,
  slot: GarmentCategory['slot'],
): CandidateVerdict {
  const place = slot.replace('_', '-');
  if (slot === taken && slot !== 'accessory') {
    return refusal(
      publicId,
      'same_slot',
      `The garment is worn as a ${place}, and so is the ${displayLabel}.`,
    );
  }
  const slots = [slot, taken];
  if (slots.includes('one_piece') && (slots.includes('top') || slots.includes('bottom'))) {
    const message = `A ${place} and the ${displayLabel} exclude each other.`;
    return refusal(publicId, 'covered_by_one_piece', message);
  }
  return { publicId, compatible: true, reasons: [] };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusal(publicId: string, code: string, message: string): CandidateVerdict {
  return { publicId, compatible: false, reasons: [{ code, message }] };
}

import { describe, expect, it } from 'vitest';
import {
  categoryByKey,
  garmentCategories,
  type GarmentCategory,
} from '#domain/garment/garment-categories.js';
import { verdictOn } from './garment-compatibility.js';

function category(key: string): GarmentCategory {
  const found = categoryByKey(key);
  if (!found) throw new Error(key);
  return found;
}
const shirt = category('t_shirt');
const ofSlot = (slot: GarmentCategory['slot']) => garmentCategories.find((each) => each.slot === slot)!;
const codes = (...args: Parameters<typeof verdictOn>) => verdictOn(...args).reasons.map(({ code }) => code);

describe('the verdict on a candidate', () => {
  it('is by the rules of the two categories, wherever the entry says its own', () => {
    const id = shirt.publicId;
    for (const attributes of [{ garment_category_public_id: id }, { garment: { category_public_id: id } }])
      expect(codes('A', shirt, attributes)).toContain('same_slot');
    const jeans = { garment_category_public_id: category('jeans').publicId };
    expect(verdictOn('A', shirt, jeans)).toEqual({ publicId: 'A', compatible: true, reasons: [] });
  });

  it('is by where it is worn when nothing else is known of it', () => {
    expect(codes('A', shirt, { slot: 'top' })).toEqual(['same_slot']);
    expect(codes('A', shirt, { slot: 'bottom' })).toEqual([]);
    expect(codes('A', shirt, { garment: { slot: 'one_piece' } })).toEqual(['covered_by_one_piece']);
    expect(codes('A', ofSlot('one_piece'), { slot: 'bottom' })).toEqual(['covered_by_one_piece']);
    expect(codes('A', ofSlot('one_piece'), { slot: 'footwear' })).toEqual([]);
    expect(codes('A', ofSlot('accessory'), { slot: 'accessory' })).toEqual([]);
  });

  it('says that it cannot tell, or that there is no such garment', () => {
    for (const attributes of [{}, { slot: 'sofa' }, { garment: 'shirt' }, { slot: 7 }])
      expect(codes('A', shirt, attributes)).toEqual(['category_unknown']);
    expect(verdictOn('nonsense', shirt, undefined)).toEqual({
      publicId: 'nonsense',
      compatible: false,
      reasons: [{ code: 'catalog_ref_missing', message: expect.stringContaining('catalogue') }],
    });
  });
});

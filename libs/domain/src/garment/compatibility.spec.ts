import { describe, expect, it } from 'vitest';
import { categoryByKey, garmentCategories, type GarmentCategory } from './garment-categories.js';
import { judge, type CompatibilityCode } from './compatibility.js';

const category = (key: string): GarmentCategory => {
  const found = categoryByKey(key);
  if (!found) throw new RangeError(`no category ${key}`);
  return found;
};

const codesOf = (a: string, b: string): CompatibilityCode[] =>
  judge(category(a), category(b)).reasons.map((reason) => reason.code);

describe('judge', () => {
  it.each([
    ['blazer', 'trousers'],
    ['blazer', 'shirt'],
    ['blazer', 'coat'],
    ['waistcoat', 'blazer'],
    ['saree', 'saree_blouse'],
    ['saree', 'juttis'],
    ['saree', 'bangles'],
    ['lehenga', 'saree_blouse'],
    ['lehenga', 'dupatta'],
    ['kurta', 'churidar'],
    ['kurta', 'jeans'],
    ['kurta', 'nehru_jacket'],
    ['anarkali', 'churidar'],
    ['dress', 'coat'],
    ['dress', 'tights'],
    ['dress', 'sweater'],
    ['dungarees', 't_shirt'],
    ['swimsuit', 'shorts'],
    ['swimsuit', 'sun_hat'],
    ['t_shirt', 'sweater'],
    ['jeans', 'sneakers'],
    ['tuxedo_jacket', 'bow_tie'],
    ['abaya', 'headscarf'],
    ['shirt', 'necktie'],
    ['necktie', 'scarf'],
    ['sneakers', 'socks'],
    ['watch', 'bracelet'],
    ['skirt', 'leggings'],
  ] as [string, string][])('lets %s and %s be worn together', (a, b) => {
    expect(judge(category(a), category(b))).toEqual({ compatible: true, reasons: [] });
  });

  it.each([
    ['trousers', 'jeans', 'same_slot'],
    ['parka', 'coat', 'same_slot'],
    ['dress', 'saree', 'same_slot'],
    ['sneakers', 'pumps', 'same_slot'],
    ['tote_bag', 'clutch', 'same_slot'],
    ['dress', 'skirt', 'covered_by_one_piece'],
    ['saree', 'jeans', 'covered_by_one_piece'],
    ['jumpsuit', 'leggings', 'covered_by_one_piece'],
    ['dress', 'blouse', 'covered_by_one_piece'],
    ['saree', 'kurta', 'layer_order'],
    ['waistcoat', 'sweater', 'layer_order'],
    ['turtleneck', 'necktie', 'occupied_body_part'],
    ['necktie', 'bow_tie', 'occupied_body_part'],
    ['flip_flops', 'socks', 'occupied_body_part'],
    ['bangles', 'bracelet', 'occupied_body_part'],
    ['tuxedo_jacket', 'flip_flops', 'formality_mismatch'],
    ['evening_gown', 'backpack', 'formality_mismatch'],
    ['oxford_shoes', 'swimsuit', 'formality_mismatch'],
    ['swimsuit', 'parka', 'season_mismatch'],
    ['sundress', 'puffer_jacket', 'season_mismatch'],
    ['flip_flops', 'trench_coat', 'season_mismatch'],
    ['saree', 'hoodie', 'tradition_mismatch'],
    ['sherwani', 'jeans', 'tradition_mismatch'],
    ['tuxedo_jacket', 'dhoti', 'tradition_mismatch'],
    ['kimono', 'blazer', 'tradition_mismatch'],
  ] as [string, string, CompatibilityCode][])('keeps %s and %s apart: %s', (a, b, code) => {
    expect(codesOf(a, b)).toContain(code);
    expect(judge(category(a), category(b)).compatible).toBe(false);
  });

  it('never depends on which of the two is the product', () => {
    for (const a of garmentCategories) {
      for (const b of garmentCategories) expect(codesOf(a.key, b.key)).toEqual(codesOf(b.key, a.key));
    }
  });

  it('finds company for every category in every other slot that its own leaves open', () => {
    for (const a of garmentCategories) {
      const friends = garmentCategories.filter((b) => judge(a, b).compatible);
      expect(friends.length).toBeGreaterThan(15);
    }
  });

  it('gives every reason once, with a sentence that names both garments', () => {
    const { reasons } = judge(category('tuxedo_jacket'), category('flip_flops'));
    expect(new Set(reasons.map((r) => r.code)).size).toBe(reasons.length);
    expect(reasons[0]?.message).toBe('Beside flip-flops, a tuxedo jacket would be too formal.');
    const [taken] = judge(category('saree'), category('abaya')).reasons;
    expect(taken?.message).toBe('A saree and an abaya take the same place in an outfit.');
  });
});

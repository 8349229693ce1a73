import { describe, expect, it } from 'vitest';
import { workflowOf } from '#workflows/workflows.js';
import { fieldAt, findReferences } from './references.js';

function found(workflow: string, body: Record<string, unknown>) {
  return findReferences(workflowOf(workflow).references, body).map(
    ({ value, loc, input }) => [fieldAt(loc), input, value] as const,
  );
}

describe('the references of a body', () => {
  it('are found in fields, in items of arrays, and in fields of such items', () => {
    expect(found('try-on', { user_image: 'U', items: [{ trial_image: 'A' }, { trial_image: 'B' }] })).toEqual(
      [
        ['user_image', 'user_image', 'U'],
        ['items[0].trial_image', 'item-0', 'A'],
        ['items[1].trial_image', 'item-1', 'B'],
      ],
    );
    expect(found('catalog-shots', { garment_image_asset_refs: ['A', 'B'], shot_preset_id: 'S' })).toEqual([
      ['garment_image_asset_refs[0]', 'garment-0', 'A'],
      ['garment_image_asset_refs[1]', 'garment-1', 'B'],
      ['shot_preset_id', 'shot', 'S'],
    ]);
  });

  it('have an exact place in the request', () => {
    const [reference] = findReferences(workflowOf('pdp-batch-extractions').references, {
      photos: [{ pdp_image_public_id: 'A' }],
    });
    expect(reference?.loc).toEqual(['body', 'photos', 0, 'pdp_image_public_id']);
  });

  it('are not made by fields that are absent, nor by what is not text', () => {
    expect(found('look', { model_image_public_id: 'M', items: null })).toEqual([
      ['model_image_public_id', 'model_image', 'M'],
    ]);
    expect(found('try-on', { user_image: 7, items: [null, { trial_image: {} }] })).toEqual([]);
  });

  it('that give the engine no picture have no name for it', () => {
    expect(found('complementary-garment-generator', { garment_category_public_id: 'C' })).toEqual([
      ['garment_category_public_id', undefined, 'C'],
    ]);
  });
});

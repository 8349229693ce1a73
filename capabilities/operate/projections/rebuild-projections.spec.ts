import { describe, expect, it } from 'vitest';
import { readModels } from '#projections/read-models.js';
import { chooseReadModels } from './rebuild-projections.js';

describe('the read models of a verb', () => {
  it('are those that are named, or all', () => {
    expect(chooseReadModels(['ledger', 'jobs'], false).map(({ name }) => name)).toEqual(['jobs', 'ledger']);
    expect(chooseReadModels([], true)).toBe(readModels);
  });

  it.each([
    [[], false, 'say which read models: jobs, '],
    [['job'], false, 'there is no read model "job": jobs, '],
    [['jobs'], true, 'give names or --all, not both'],
  ])('cannot be %j with --all %s', (names, all, complaint) => {
    expect(() => chooseReadModels(names, all)).toThrow(complaint);
  });
});

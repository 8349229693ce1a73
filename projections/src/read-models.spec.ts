import { expect, it } from 'vitest';
import { readModels } from './read-models.js';

it('has the versions that installations have stored: another one stands still there until it is rebuilt', () => {
  expect(Object.fromEntries(readModels.map(({ name, version }) => [name, version]))).toEqual({
    jobs: 2,
    timeline: 1,
    usage: 1,
    ledger: 1,
    renders: 1,
    keys: 2,
    assets: 1,
    presets: 1,
    catalog: 1,
    products: 1,
    calls: 1,
  });
});

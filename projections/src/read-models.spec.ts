import { expect, it } from 'vitest';
import { readModels } from './read-models.js';

// `npm run generate` writes the snapshot. Its diff shows a version that was raised, by intention or not.
it('has the versions that installations have stored: another one stands still there until it is rebuilt', () => {
  expect(Object.fromEntries(readModels.map(({ name, version }) => [name, version]))).toMatchSnapshot();
});

import { expect, it } from 'vitest';
import { keyText } from './projection-table.js';

it('tells keys apart by each of their parts', () => {
  const keys = [['job'], ['job', 1], ['job', 2], ['job1', 2], ['other', 1]];
  expect(new Set(keys.map(keyText)).size).toBe(keys.length);
  expect(keyText(['a', 'bc'])).not.toBe(keyText(['ab', 'c']));
});

import { expect, it } from 'vitest';
import { erasedValueFor } from './erased.js';

it.each([
  ['a word', '[erased]'],
  [['a word'], []],
  [{ of: 'a person' }, {}],
  [null, null],
  [7, null],
  [true, null],
])('erases %j to %j', (value, erased) => {
  expect(erasedValueFor(value)).toEqual(erased);
});

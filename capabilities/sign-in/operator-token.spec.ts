import { expect, it } from 'vitest';
import { generateOperatorToken, nameInToken } from './operator-token.js';

it('names the operator of a whole token, and of no mistyped one', () => {
  const token = generateOperatorToken('ada');
  const other = token.endsWith('0') ? '1' : '0';
  expect(nameInToken(token)).toBe('ada');
  expect(nameInToken(token.slice(0, -1) + other)).toBeUndefined();
  expect(nameInToken(token.slice(0, -1))).toBeUndefined();
  expect(nameInToken(token.replace('ada', 'eve'))).toBeUndefined();
});

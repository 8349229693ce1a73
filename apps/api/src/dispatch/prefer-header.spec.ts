import { describe, expect, it } from '@jest/globals';
import { preferredWait } from './prefer-header.js';

describe('Prefer: wait', () => {
  it.each([
    ['wait=10', 10],
    ['wait=1', 1],
    ['wait=60', 60],
    ['wait=61', 60],
    ['wait=999999999', 60],
    ['WAIT = 5', 5],
    ['wait="7"', 7],
    ['respond-async, wait=10', 10],
    ['respond-async,wait=10;x="a,b" , handling=lenient', 10],
    ['handling="wait=3, no", wait=4', 4],
    ['wait=5, wait=9', 5],
    [['respond-async', 'wait=8'], 8],
  ])('%j is %i seconds, never more than 60', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds);
  });

  it.each([
    undefined,
    '',
    'respond-async',
    'wait',
    'wait=',
    'wait=0',
    'wait=-5',
    'wait=1.5',
    'wait=5s',
    'wait=0x10',
    'wait=0, wait=9',
    'await=5',
    'handling="wait=3"',
    ',,,',
    '"'.repeat(4_000),
    'a'.repeat(8_000),
    ` ${'; '.repeat(4_000)}`,
  ])('%j is no wish to wait', (header) => {
    expect(preferredWait(header)).toBeUndefined();
  });
});

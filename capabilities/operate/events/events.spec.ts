import { describe, expect, it } from 'vitest';
import { streamPrefixes } from './events.js';

describe('a prefix of stream names', () => {
  it('stands for both environments unless one is named', () => {
    expect(streamPrefixes(undefined, ['job-'])).toEqual(['live.job-', 'test.job-']);
    expect(streamPrefixes('test', ['job-', 'key-'])).toEqual(['test.job-', 'test.key-']);
  });

  it('may name the environment itself', () => {
    expect(streamPrefixes('test', ['live.account-'])).toEqual(['live.account-']);
  });
});

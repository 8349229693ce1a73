import { describe, expect, it } from 'vitest';
import { RecentMap } from './recent-map.js';

function filled(atLeast: number, count: number) {
  let forgotten = 0;
  const map = new RecentMap<number, string>(atLeast, () => forgotten++);
  for (let key = 1; key <= count; key++) map.set(key, `value ${key}`);
  const known = Array.from({ length: count }, (_, index) => index + 1).filter((key) => map.has(key));
  return { map, known, forgotten: () => forgotten };
}

describe('a map of recent entries', () => {
  it.each([1, 2, 9, 10, 11, 20, 29, 30, 31, 100])('remembers the newest ten of %i', (count) => {
    const { known } = filled(10, count);
    expect(known.slice(-10)).toEqual(Array.from({ length: count }, (_, index) => index + 1).slice(-10));
    expect(known.length).toBeLessThanOrEqual(20);
  });

  it('says so before it forgets', () => {
    expect(filled(10, 19).forgotten()).toBe(0);
    expect(filled(10, 20).forgotten()).toBe(1);
    expect(filled(10, 20).known).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it('gives what was set last, and nothing once it is deleted', () => {
    const { map } = filled(2, 3);
    map.set(2, 'newer');
    expect(map.get(2)).toBe('newer');
    map.delete(2);
    expect(map.get(2)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { SharedRead } from './operations.js';

/** Reads that the test ends one by one, each with its number. */
function steppedReads() {
  const pending: ((fails?: Error) => void)[] = [];
  let begun = 0;
  const shared = new SharedRead(() => {
    const number = ++begun;
    return new Promise<number>((resolve, reject) => {
      pending.push((error) => (error ? reject(error) : resolve(number)));
    });
  });
  const endOne = async (error?: Error) => {
    pending.shift()?.(error);
    await turn();
  };
  return { shared, endOne, begun: () => begun };
}

describe('a shared read', () => {
  it('begins after the question, and serves all who ask while another one is under way', async () => {
    const { shared, endOne, begun } = steppedReads();
    const first = shared.ask();
    const [second, third] = [shared.ask(), shared.ask()];
    expect(begun()).toBe(1);
    await endOne();
    const fourth = shared.ask();
    expect(begun()).toBe(2);
    await endOne();
    await endOne();
    expect(await Promise.all([first, second, third, fourth])).toEqual([1, 2, 2, 3]);
    expect(begun()).toBe(3);
  });

  it('that fails does so for those who share it, and the next one begins all the same', async () => {
    const { shared, endOne } = steppedReads();
    const first = shared.ask();
    const second = shared.ask();
    const lost = first.catch((error: unknown) => error);
    await endOne(new Error('away'));
    expect(String(await lost)).toContain('away');
    await endOne();
    expect(await second).toBe(2);
    const third = shared.ask();
    await endOne();
    expect(await third).toBe(3);
  });
});

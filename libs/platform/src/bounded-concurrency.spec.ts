import { describe, expect, it } from 'vitest';
import { BoundedConcurrency } from './bounded-concurrency.js';

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

describe('bounded concurrency', () => {
  it('runs as many as it may, lets others wait in order, and turns the rest away', async () => {
    const bounded = new BoundedConcurrency(2, 2, () => new Error('full'));
    const gates = Array.from({ length: 4 }, gate);
    const started: number[] = [];
    const runs = gates.map(({ promise }, index) =>
      bounded.run(async () => {
        started.push(index);
        await promise;
        return index;
      }),
    );
    await expect(bounded.run(() => Promise.resolve())).rejects.toThrow('full');
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
    expect(await bounded.run(() => Promise.resolve('free again'))).toBe('free again');
  });

  it('frees the place of one that failed', async () => {
    const bounded = new BoundedConcurrency(1, 0, () => new Error('full'));
    await expect(bounded.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await bounded.run(() => Promise.resolve('next'))).toBe('next');
  });
});

import { describe, expect, it } from 'vitest';
import { Attempts } from './attempts.js';

describe('failed attempts', () => {
  it('are bounded for each address, and allowed again after a minute', () => {
    let now = 0;
    const attempts = new Attempts(3, 10, () => now);
    expect([1, 2, 3, 4].map(() => attempts.take('192.0.2.1'))).toEqual([0, 0, 0, 60]);
    expect(attempts.take('192.0.2.2')).toBe(0);
    now = 20_000;
    expect(attempts.take('192.0.2.1')).toBe(40);
    now = 60_000;
    expect([1, 2, 3, 4].map(() => attempts.take('192.0.2.1'))).toEqual([0, 0, 0, 60]);
  });

  it('that succeed count for nothing', () => {
    const attempts = new Attempts(1, 10, () => 0);
    for (let calls = 0; calls < 5; calls++) {
      expect(attempts.take('192.0.2.1')).toBe(0);
      attempts.giveBack('192.0.2.1');
    }
    expect([attempts.take('192.0.2.1'), attempts.take('192.0.2.1')]).toEqual([0, 60]);
  });

  it('come from one source when they come from one network of 64 bits, however it is written', () => {
    const attempts = new Attempts(1, 10, () => 0);
    expect(attempts.take('2001:db8::1')).toBe(0);
    for (const same of ['2001:db8::2', '2001:0db8:0:0:ffff:1:2:3', '2001:db8:0:0::%eth0']) {
      expect(attempts.take(same)).toBe(60);
    }
    expect(attempts.take('2001:db8:0:1::1')).toBe(0);
    expect(attempts.take('::ffff:192.0.2.1')).toBe(0);
    expect(attempts.take('192.0.2.1')).toBe(60);
  });

  it('of many addresses cost no more memory than was given', () => {
    const attempts = new Attempts(1, 2, () => 0);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) attempts.take(address);
    expect(attempts.take('192.0.2.1')).toBe(0);
  });
});

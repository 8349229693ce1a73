import { setTimeout as sleep } from 'node:timers/promises';
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

  it('lock no good credential out: it is looked up in its turn, what cannot be good is not', async () => {
    const attempts = new Attempts(2, 10, () => 0);
    let looking = 0;
    let most = 0;
    const look = async (found: string | undefined) => {
      most = Math.max(most, ++looking);
      await sleep(1);
      looking -= 1;
      return found;
    };
    for (let guesses = 0; guesses < 2; guesses++)
      expect(await attempts.lookUp('192.0.2.1', true, () => look(undefined))).toEqual({
        found: undefined,
        retryAfterSeconds: 0,
      });
    most = 0;
    const guessed = Array.from({ length: 20 }, () =>
      attempts.lookUp('192.0.2.1', true, () => look(undefined)),
    );
    const good = attempts.lookUp('192.0.2.1', true, () => look('ada'));
    const broken = attempts.lookUp('192.0.2.1', true, () => Promise.reject(new Error('away')));
    const malformed = await attempts.lookUp('192.0.2.1', false, () => look('never'));
    expect(malformed).toEqual({ found: undefined, retryAfterSeconds: 60 });
    expect(await good).toMatchObject({ found: 'ada' });
    await expect(broken).rejects.toThrow('away');
    for (const guess of guessed) expect(await guess).toEqual({ found: undefined, retryAfterSeconds: 60 });
    expect((await attempts.lookUp('192.0.2.1', true, () => look('bea'))).found).toBe('bea');
    expect(most).toBe(1);
  });

  it('are looked up in their turn while no more than 500 of one address wait, and 2,000 of all', async () => {
    const attempts = new Attempts(1, 10, () => 0);
    const answered = Promise.withResolvers<undefined>();
    const tooMany = { found: undefined, retryAfterSeconds: 1, tooManyWait: true };
    const addresses = [1, 2, 3, 4].map((last) => `192.0.2.${last}`);
    for (const address of [...addresses, '192.0.2.5'])
      await attempts.lookUp(address, true, () => Promise.resolve(undefined));
    const guessed = addresses.flatMap((address) =>
      Array.from({ length: 500 }, () => attempts.lookUp(address, true, () => answered.promise)),
    );
    const good = (address: string) => attempts.lookUp(address, true, () => Promise.resolve('ada'));
    expect(await good('192.0.2.1')).toEqual(tooMany);
    // The address has room left, but the total is full.
    expect(await good('192.0.2.5')).toEqual(tooMany);
    // An address that has not failed too often does not wait.
    expect(await good('192.0.2.6')).toEqual({ found: 'ada', retryAfterSeconds: 0 });
    answered.resolve(undefined);
    expect(await Promise.all(guessed)).toHaveLength(2_000);
    expect(await good('192.0.2.1')).toEqual({ found: 'ada', retryAfterSeconds: 60 });
    expect(await good('192.0.2.5')).toEqual({ found: 'ada', retryAfterSeconds: 60 });
  });
});

import { describe, expect, it, vi } from 'vitest';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { inTime, pause, retry, retryUntilAborted } from './retry.js';

const brisk = { firstPauseMs: 1, longestPauseMs: 4 };

/** Fails with these errors, one an attempt, then succeeds. */
function failing(...errors: unknown[]) {
  return vi.fn((attempt: number) => {
    if (attempt <= errors.length) throw errors[attempt - 1];
    return Promise.resolve(attempt);
  });
}

describe('retry', () => {
  it('runs the work until it succeeds, also after a TypeError and after what is no Error', async () => {
    const work = failing(new Error('away'), new TypeError('undefined is not a function'), 'a word');
    const failures: unknown[] = [];
    await expect(retry(work, { ...brisk, onFailure: (error) => failures.push(error) })).resolves.toBe(4);
    expect(failures).toEqual([new Error('away'), new TypeError('undefined is not a function'), 'a word']);
  });

  it('pauses about twice as long each time, up to the longest pause', async () => {
    const pauses: number[] = [];
    const onFailure = (_: unknown, pauseMs: number) => pauses.push(pauseMs);
    await retry(failing(1, 2, 3, 4, 5), { firstPauseMs: 4, longestPauseMs: 16, onFailure });
    [4, 8, 16, 16, 16].forEach((least, index) => {
      expect(pauses[index]).toBeGreaterThanOrEqual(least);
      expect(pauses[index]).toBeLessThanOrEqual(Math.min(16, least * 2));
    });
  });

  it('gives up with the very failure that no retry can mend', async () => {
    const hopeless = new Error('refused');
    const onFailure = vi.fn();
    const mayPass = (error: unknown) => error !== hopeless;
    const work = failing(new Error('away'), hopeless);
    await expect(retry(work, { ...brisk, mayPass, onFailure })).rejects.toBe(hopeless);
    expect(onFailure).toHaveBeenCalledTimes(1);
  });

  it('gives up with the last failure after its attempts, or when its time is over', async () => {
    const work = failing(1, 2, 3, 4);
    await expect(retry(work, { ...brisk, attempts: 3 })).rejects.toBe(3);
    expect(work).toHaveBeenCalledTimes(3);
    const always = vi.fn(() => Promise.reject(new Error('away')));
    await expect(retry(always, { ...brisk, withinMs: 500 })).rejects.toThrow('away');
    expect(always.mock.calls.length).toBeGreaterThan(2);
  });

  it('begins anew, and at once, after an attempt that ran well for a while', async () => {
    const pauses: number[] = [];
    const work = async (attempt: number) => {
      if (pauses.length === 4) return;
      if (pauses.length === 2) await pause(30);
      throw new Error(`attempt ${attempt}`);
    };
    const onFailure = (_: unknown, pauseMs: number) => pauses.push(pauseMs);
    await retry(work, { firstPauseMs: 2, longestPauseMs: 100, healthyAfterMs: 25, onFailure });
    expect(pauses[2]).toBe(0);
    expect(pauses[3]).toBeLessThanOrEqual(4);
  });

  it('ends with its signal, also during a pause', async () => {
    const stopping = new AbortController();
    const reason = new Error('stopping');
    const long = { firstPauseMs: 60_000, longestPauseMs: 60_000, signal: stopping.signal };
    const ended = retry(failing(1), long).catch((error: unknown) => error);
    const quiet = retryUntilAborted(failing(1), long);
    await pause(1);
    stopping.abort(reason);
    expect(await ended).toBe(reason);
    expect(await quiet).toBeUndefined();
    const never = failing();
    await expect(retry(never, { signal: stopping.signal })).rejects.toBe(reason);
    expect(never).not.toHaveBeenCalled();
  });
});

describe('pause', () => {
  it('tells whether it was cut short', async () => {
    expect(await pause(1)).toBe(true);
    expect(await pause(60_000, AbortSignal.timeout(1))).toBe(false);
  });
});

describe('inTime', () => {
  it('takes an answer that came while the process was too busy to read it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // It listens on a port, not on a pipe.
    const client = connect((server.address() as { port: number }).port, '127.0.0.1');
    const [answerer] = (await once(server, 'connection')) as [Socket];
    await once(client, 'connect');
    const answer = inTime(
      () => once(client, 'data'),
      5,
      () => new Error('late'),
    );
    answerer.end('an answer');
    const busyUntil = performance.now() + 50;
    while (performance.now() < busyUntil);
    expect(String(await answer)).toBe('an answer');
    client.destroy();
    server.close();
  });
});

import { describe, expect, it } from 'vitest';
import { Scheduler, startProcess } from './scheduler.js';

async function drain(scheduler: Scheduler): Promise<void> {
  while (await scheduler.step());
}

describe('the scheduler', () => {
  it('gives turns in the order that the seed decides, and the same one again for the same seed', async () => {
    const orderOf = async (seed: number) => {
      const scheduler = new Scheduler();
      scheduler.reseed(seed);
      const order: number[] = [];
      const wait = async (n: number) => {
        await scheduler.turn(startProcess('a'));
        order.push(n);
      };
      const waiting = Promise.all(Array.from({ length: 8 }, (_, n) => wait(n)));
      await drain(scheduler);
      await waiting;
      return order;
    };
    expect(await orderOf(1)).toEqual(await orderOf(1));
    expect(await orderOf(1)).not.toEqual(await orderOf(2));
  });

  it('gives none to a process that is dead, and those of a paused one when it goes on', async () => {
    const scheduler = new Scheduler();
    const [dead, paused] = [startProcess('dead'), startProcess('paused')];
    const seen: string[] = [];
    void scheduler.turn(dead).then(() => seen.push('dead'));
    void scheduler.turn(paused).then(() => seen.push('paused'));
    scheduler.kill(dead);
    scheduler.pause(paused);
    await drain(scheduler);
    expect(seen).toEqual([]);
    scheduler.resume(paused);
    await drain(scheduler);
    expect(seen).toEqual(['paused']);
  });

  it('gives a turn that is for later when the time has come, or none when its signal aborts before', async () => {
    const scheduler = new Scheduler();
    const process = startProcess('a');
    const seen: string[] = [];
    const ending = new AbortController();
    void scheduler.after(process, 1_000).then(() => seen.push('late'));
    void scheduler.after(process, 500, ending.signal).then(() => seen.push('aborted'));
    await drain(scheduler);
    expect(seen).toEqual([]);
    expect(scheduler.nextDueAt).toBe(scheduler.now + 500);
    ending.abort();
    await drain(scheduler);
    expect(seen).toEqual(['aborted']);
    scheduler.advance(1_000);
    await drain(scheduler);
    expect(seen).toEqual(['aborted', 'late']);
  });

  it('gives one to a process that a signal has woken since the last', async () => {
    const scheduler = new Scheduler();
    const signal = new AbortController();
    const seen: string[] = [];
    signal.signal.addEventListener('abort', () => {
      void Promise.resolve()
        .then(() => scheduler.turn(startProcess('woken')))
        .then(() => seen.push('woken'));
    });
    signal.abort();
    await drain(scheduler);
    expect(seen).toEqual(['woken']);
  });
});

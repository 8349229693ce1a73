import { describe, expect, it } from 'vitest';
import { Scheduler, startProcess } from '../kernel/scheduler.js';
import { SimulatedSnapshotStore } from './simulated-snapshot-store.js';

const scheduler = new Scheduler();
const snapshots = new SimulatedSnapshotStore(new Map(), scheduler, startProcess('test'));

/** Gives turns until the call has its answer. */
async function answer<T>(call: Promise<T>): Promise<T> {
  while (await scheduler.step());
  return call;
}

// The rules of the snapshot store in PostgreSQL, which has a spec of its own.
describe('the simulated snapshot store', () => {
  it('gives back the newest state, as it was when it was saved', async () => {
    const state = { balance: 40, charges: [{ id: 'c', amount: 1 }] };
    const saving = snapshots.save('account-a', 1, 9_007_199_254_740_993n, state);
    state.balance = 0;
    await answer(saving);
    const expected = { balance: 40, charges: [{ id: 'c', amount: 1 }] };
    expect(await answer(snapshots.load('account-a', 1))).toEqual({
      revision: 9_007_199_254_740_993n,
      state: expected,
    });
  });

  it('only ever moves forward', async () => {
    await answer(snapshots.save('account-b', 1, 500n, 'new'));
    await answer(snapshots.save('account-b', 1, 250n, 'late'));
    await answer(snapshots.save('account-b', 1, 500n, 'again'));
    expect(await answer(snapshots.load('account-b', 1))).toEqual({ revision: 500n, state: 'new' });
  });

  it('gives nothing of another stream or another version of the fold', async () => {
    await answer(snapshots.save('account-c', 1, 10n, {}));
    expect(await answer(snapshots.load('account-c', 2))).toBeUndefined();
    expect(await answer(snapshots.load('account-d', 1))).toBeUndefined();
  });
});

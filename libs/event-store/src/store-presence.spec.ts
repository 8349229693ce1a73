import { describe, expect, it, vi } from 'vitest';
import { correlated } from '#platform/correlation.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from './event-store.js';
import { inStoreTime, StorePresence } from './store-presence.js';

describe('a request that has waited for the event store as long as it may', () => {
  const never = () => new Promise<never>(() => undefined);
  const late = (kind: 'read' | 'write') => {
    const storeTime = { patienceMs: 100, waitedMs: 99, didWithout: false };
    return correlated({ storeTime }, () => inStoreTime(never, kind));
  };

  it('reads nothing from a store that does not answer', async () => {
    await expect(late('read')).rejects.toThrow(EventStoreUnavailable);
  });

  it('does not know what became of its write', async () => {
    await expect(late('write')).rejects.toThrow(AppendOutcomeUnknown);
  });
});

describe('the presence of the event store', () => {
  const gone = () => Promise.reject(new EventStoreUnavailable('no answer'));

  it('is told when the store goes away, and when a look finds it back', async () => {
    const told: boolean[] = [];
    let look = gone;
    const presence = new StorePresence(() => look(), {
      lookEveryMs: 1,
      onChange: (isAway) => told.push(isAway),
    });
    await expect(presence.call(gone)).rejects.toThrow('no answer');
    expect(told).toEqual([true]);
    look = () => Promise.resolve(undefined as never);
    await vi.waitFor(() => expect(told).toEqual([true, false]));
    expect(presence.isAway).toBe(false);
  });

  it('is not looked for after the end of the process', async () => {
    let looks = 0;
    const look = () => {
      looks += 1;
      return gone();
    };
    const presence = new StorePresence(look, { lookEveryMs: 1 });
    await expect(presence.call(gone)).rejects.toThrow('no answer');
    presence.close();
    await vi.waitFor(() => expect(presence.isAway).toBe(false));
    const before = looks;
    await expect(presence.call(gone)).rejects.toThrow('no answer');
    expect(presence.isAway).toBe(false);
    expect(looks).toBe(before);
  });

  it('stays when the store has no room left, because that is an answer', async () => {
    const presence = new StorePresence(gone);
    const full = Object.assign(new Error('no space left on device'), { code: '53100' });
    const failed = new EventStoreUnavailable('refused', { cause: full });
    await expect(presence.call(() => Promise.reject(failed))).rejects.toBe(failed);
    expect(presence.isAway).toBe(false);
  });

  it('spares further reads the wait while one is late', async () => {
    const presence = new StorePresence(gone, { patienceMs: 1 });
    const late = Promise.withResolvers<number>();
    expect(await presence.soon(() => late.promise)).toBeUndefined();
    const second = vi.fn(() => Promise.resolve(2));
    expect(await presence.soon(second)).toBeUndefined();
    expect(second).not.toHaveBeenCalled();
    late.resolve(1);
    await late.promise;
    expect(await presence.soon(second)).toEqual({ value: 2 });
  });
});

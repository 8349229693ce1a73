import { describe, expect, it } from 'vitest';
import { correlated } from '#platform/correlation.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from './event-store.js';
import { inStoreTime } from './store-presence.js';

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

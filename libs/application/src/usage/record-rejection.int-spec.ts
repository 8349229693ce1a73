import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamName } from '#domain/streams.js';
import { AppendOutcomeUnknown, EventStoreUnavailable, type EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { AccountsFixture } from '../accounts.fixture.js';
import { RecordRejection, RecordRejectionHandler } from './record-rejection.handler.js';

let fixture: AccountsFixture;
let store: EventStore;

beforeAll(async () => {
  fixture = await AccountsFixture.start();
  ({ store } = fixture);
});
afterAll(() => fixture.stop());

/** The store, but its first append fails: `before` anything was written, or `after` it was. */
function failingOnce(when: 'before' | 'after'): EventStore {
  let failed = false;
  const append: EventStore['append'] = async (...args) => {
    if (failed) return store.append(...args);
    failed = true;
    if (when === 'before') throw new EventStoreUnavailable('away');
    await store.append(...args);
    throw new AppendOutcomeUnknown('the answer was lost');
  };
  return new Proxy(store, {
    get: (target, name) => (name === 'append' ? append : (Reflect.get(target, name) as unknown)),
  });
}

describe('a refusal', () => {
  it.each(['before', 'after'] as const)(
    'is in the log once when the store failed %s it was written',
    async (when) => {
      const tenant = newId();
      const caller = { environment: 'test', tenant, keyId: 'k', capabilities: [] } as const;
      const rejection = {
        requestId: newId(),
        operation: 'look',
        endpoint: '/v1/look',
        method: 'POST',
        httpStatus: 402,
        errorCode: 'INSUFFICIENT_BALANCE',
        errorMessage: '',
        latencyMs: 1,
        at: new Date(0).toISOString(),
      };
      const handler = new RecordRejectionHandler(failingOnce(when));
      await handler.execute(new RecordRejection(caller, rejection));
      const slice = await store.readStream(streamName('test', 'usage', tenant));
      const events = slice.kind === 'found' ? slice.events : [];
      expect(events.map(({ data }) => data)).toEqual([rejection]);
    },
  );
});

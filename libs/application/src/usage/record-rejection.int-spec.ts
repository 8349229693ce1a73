import { beforeAll, describe, expect, it } from 'vitest';
import { streamName } from '#domain/streams.js';
import { AppendOutcomeUnknown, EventStoreUnavailable, type EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { RecordRejection, RecordRejectionHandler } from './record-rejection.handler.js';

const fixture = AccountsFixture.ofSpec();
let store: EventStore;

beforeAll(() => void ({ store } = fixture));

/** The store, except that its first append fails: `before` or `after` the events were written. */
function failingOnce(when: 'before' | 'after'): EventStore {
  let failed = false;
  return fixture.withAppend((append) => async (...args) => {
    if (failed) return append(...args);
    failed = true;
    if (when === 'before') throw new EventStoreUnavailable('away');
    await append(...args);
    throw new AppendOutcomeUnknown('the answer was lost');
  });
}

function refusal(tenant: string = newId()) {
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
  return { tenant, rejection, command: new RecordRejection(caller, rejection) };
}

async function recorded(tenant: string) {
  const slice = await store.readStream(streamName('test', 'usage', tenant));
  return slice.kind === 'found' ? slice.events.map(({ data }) => data) : [];
}

describe('a refusal', () => {
  it.each(['before', 'after'] as const)(
    'is in the log once when the store failed %s it was written',
    async (when) => {
      const { tenant, command, rejection } = refusal();
      const handler = new RecordRejectionHandler(failingOnce(when));
      await handler.execute(command);
      expect(await recorded(tenant)).toEqual([rejection]);
    },
  );

  it('shares its append with all that came while the one before it was under way', async () => {
    const refusals = Array.from({ length: 300 }, () => refusal('together'));
    let appends = 0;
    const counting = fixture.withAppend((append) => (...args) => {
      appends += 1;
      return append(...args);
    });
    const handler = new RecordRejectionHandler(counting);
    await Promise.all(refusals.map(({ command }) => handler.execute(command)));
    // The first one goes at once; the other 299 follow in batches of up to 128.
    expect(appends).toBe(4);
    expect(await recorded('together')).toEqual(refusals.map(({ rejection }) => rejection));
  });
});

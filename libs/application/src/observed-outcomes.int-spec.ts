import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { correlated } from '#platform/correlation.js';
import { newId } from '#platform/ids.js';
import { AccountWriter } from './account/account-writer.js';
import { AccountsFixture } from '../../../test/support/accounts-fixture.js';
import { readForwards } from './aggregate.js';
import { toNewEvent } from './command-context.js';
import { tellingOutcomes } from './observed-outcomes.js';
import { grantCredits } from '../../../test/support/operator.js';

let fixture: AccountsFixture;
let heard: unknown[];
let store: EventStore;

beforeAll(async () => {
  fixture = await AccountsFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  heard = [];
  store = observed();
});

/** The same log as another process sees it. */
function observed(): EventStore {
  return tellingOutcomes(fixture.store, {
    charged: (...told) => heard.push(['charged', ...told]),
    refunded: (...told) => heard.push(['refunded', ...told]),
    jobEnded: (...told) => heard.push(['ended', ...told]),
    rendered: (...told) => heard.push(['rendered', ...told]),
  });
}

const at = '2026-06-01T12:00:00.000Z';
const debited: DomainEvent = {
  type: 'CreditsDebited',
  data: {
    chargeId: 'c',
    requestId: 'c',
    jobId: 'j',
    operation: 'try-on',
    endpoint: '/v1/try-on',
    amount: 4,
    at,
  },
};
const refunded: DomainEvent = {
  type: 'CreditsRefunded',
  data: { chargeId: 'c', jobId: 'j', amount: 4, reason: 'orphaned', at },
};
const queued = (jobId: string): DomainEvent => ({
  type: 'JobQueued',
  data: {
    jobId,
    tenant: 't',
    requestId: 'r',
    chargeId: 'c',
    operation: 'try-on',
    jobType: 'TRY_ON',
    creditsCost: 4,
    displayName: 'Try on',
    request: {},
    inputs: [],
    seed: 1,
    parentJobId: null,
    at,
  },
});
const succeeded: DomainEvent = {
  type: 'JobSucceeded',
  data: {
    message: 'Done',
    artifacts: [],
    at,
    operation: 'try-on',
    provenance: { engine: 'sketch', model: 'm', seed: 1, attempt: 1, renderMs: 1_200, inputHashes: [] },
  },
};

function newEvent(event: DomainEvent) {
  return toNewEvent(event, 0, fixture.context('t'));
}

describe('outcomes', () => {
  it('are told when they are in the log, and not again when an append finds them there', async () => {
    const stream = streamName('live', 'account', newId());
    const charge = newEvent(debited);
    await store.append(stream, 'no-stream', [charge]);
    await store.append(stream, 'no-stream', [charge]);
    await store.append(stream, 0n, [newEvent(refunded)]);
    expect(heard).toEqual([
      ['charged', 'live', 'try-on', 4],
      ['refunded', 'live', 'orphaned', 4],
    ]);
  });

  it('are not told when the append was refused', async () => {
    const stream = streamName('live', 'account', newId());
    const outcome = await store.append(stream, 7n, [newEvent(refunded)]);
    expect(outcome.outcome).toBe('wrong-expected-revision');
    expect(heard).toEqual([]);
  });

  it('of a job have the workflow that its end names, whichever process has queued it', async () => {
    const jobId = newId();
    const stream = streamName('test', 'job', jobId);
    await store.append(stream, 'no-stream', [newEvent(queued(jobId))]);
    const worker = observed();
    await worker.append(stream, 0n, [newEvent(succeeded)]);
    expect(heard).toEqual([
      ['rendered', 'try-on', 1_200],
      ['ended', 'test', 'try-on', { outcome: 'succeeded' }],
    ]);
  });
});

describe('commands of several traces that are appended together', () => {
  it('each keep their own, and one without a trace gets none of its neighbours', async () => {
    const tenant = await fixture.tenantWith(1);
    const writer = new AccountWriter(fixture.store, fixture.snapshots);
    const traces = ['a', 'b', undefined].map((digit) =>
      digit ? `00-${digit.repeat(32)}-${digit.repeat(16)}-01` : undefined,
    );
    const grant = (traceparent: string | undefined) =>
      correlated({ traceparent }, () =>
        grantCredits(writer, fixture.context(tenant), {
          amount: 1,
          kind: 'pack',
          label: String(traceparent),
        }),
      );
    await Promise.all(traces.map(grant));
    const written: (string | undefined)[] = [];
    for await (const page of readForwards(fixture.store, streamName('test', 'account', tenant), 2n)) {
      written.push(...page.map(({ metadata }) => metadata.traceparent));
    }
    expect(written).toEqual(traces);
  });
});

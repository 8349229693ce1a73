import { beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { correlated } from '#platform/correlation.js';
import { newId } from '#platform/ids.js';
import { debited, queued, refunded, succeeded } from '#projections/testing/stories.js';
import { AccountWriter } from './account/account-writer.js';
import { AccountsFixture } from '../../../test/support/accounts-fixture.js';
import { readForwards } from './aggregate.js';
import { toNewEvent } from './command-context.js';
import { tellingOutcomes } from './observed-outcomes.js';
import { grantCredits } from '../../../test/support/operator.js';

const fixture = AccountsFixture.ofSpec();
let heard: unknown[];
let store: EventStore;

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

function newEvent(event: DomainEvent) {
  return toNewEvent(event, 0, fixture.context('t'));
}

describe('outcomes', () => {
  it('are told when they are in the log, and not again when an append finds them there', async () => {
    const stream = streamName('live', 'account', newId());
    const charge = newEvent(debited('c', 4));
    await store.append(stream, 'no-stream', [charge]);
    await store.append(stream, 'no-stream', [charge]);
    await store.append(stream, 0n, [newEvent(refunded('c', 4))]);
    expect(heard).toEqual([
      ['charged', 'live', 'model-generator', 4],
      ['refunded', 'live', 'job-failed', 4],
    ]);
  });

  it('are not told when the append was refused', async () => {
    const stream = streamName('live', 'account', newId());
    const outcome = await store.append(stream, 7n, [newEvent(refunded('c', 4))]);
    expect(outcome.outcome).toBe('wrong-expected-revision');
    expect(heard).toEqual([]);
  });

  it('of a job have the workflow that its end names, whichever process has queued it', async () => {
    const jobId = newId();
    const stream = streamName('test', 'job', jobId);
    await store.append(stream, 'no-stream', [newEvent(queued(jobId, 't'))]);
    const worker = observed();
    await worker.append(stream, 0n, [
      newEvent({ ...succeeded, data: { ...succeeded.data, operation: 'try-on' } }),
    ]);
    expect(heard).toEqual([
      ['rendered', 'try-on', 900],
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

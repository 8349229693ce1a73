import { afterEach, describe, expect, it } from 'vitest';
import { collect, expectUnbroken, freshPrefix, newEvent, newEvents } from '../event-store/harness.js';
import {
  EventStoreError,
  EventStoreRefused,
  type EventStore,
  type SubscriptionBatch,
} from '#event-store/event-store.js';
import { eventually } from '../support/eventually.js';
import { listening, Stores } from './stores.js';

describe('subscriptions to EventStoreDB', () => {
  const stores = new Stores();
  afterEach(() => stores.close());

  /**
   * Subscribes, causes a fault once the first ten events have arrived, appends ten more, and expects all
   * twenty.
   */
  async function survives(
    peer: Awaited<ReturnType<Stores['peer']>>,
    store: EventStore,
    disturb: () => void | Promise<void>,
  ): Promise<void> {
    const stream = freshPrefix();
    const writer = stores.open(peer);
    await writer.append(stream, 'no-stream', newEvents(10));
    let more: Promise<unknown> | undefined;
    const { events } = await collect(
      store,
      { filter: { streamPrefixes: [stream] } },
      (collected) => collected.events.length >= 20,
      async ({ caughtUp }) => {
        if (!caughtUp || more) return;
        await disturb();
        more = writer.append(stream, 9n, newEvents(10));
      },
    );
    await more;
    expect(events).toHaveLength(20);
    expectUnbroken(events);
  }

  it('goes on after an error that nothing follows, such as the one for slow consumers', async () => {
    const observer = listening();
    const { peer, store } = await stores.started({ observer, idleProbeMs: 60_000 });
    await survives(peer, store, () => peer.faults.interrupt('error'));
    expect(observer.heard).toContain('resubscribed');
  });

  it('takes the end of a subscription for the loss that it is', async () => {
    const { peer, store } = await stores.started({ idleProbeMs: 60_000 });
    await survives(peer, store, () => peer.faults.interrupt('end'));
  });

  it('notices a server that has forgotten it', async () => {
    const { peer, store } = await stores.started({ idleProbeMs: 50, answerTimeoutMs: 200 });
    await survives(peer, store, () => peer.faults.abandonSubscriptions());
  });

  it('begins anew as often as it takes, ever more slowly', async () => {
    const peer = await stores.peer();
    const observer = listening();
    peer.faults.failSubscriptions('error', 'end', 'error', 'error', 'end');
    await survives(peer, stores.open(peer, { observer }), () => undefined);
    expect(observer.heard.filter((heard) => heard === 'resubscribed')).toHaveLength(5);
  });

  it('tells a refusal from silence: a position that is no place of this log is not tried again', async () => {
    const { store } = await stores.started();
    await store.append(freshPrefix(), 'no-stream', newEvents(3));
    const head = (await store.head())!;
    const { signal } = new AbortController();
    const batches = store.subscribe({ after: head - 1n, signal })[Symbol.asyncIterator]();
    const following = batches.next();
    await expect(following).rejects.toThrow(EventStoreRefused);
    await expect(following).rejects.toThrow(/^The event store refused this: /);
    expect(await store.lastEvent(head - 1n)).toBeUndefined();
  });

  it('leaves nothing running on the server, however it is left', async () => {
    const { peer, store } = await stores.started();
    const signal = new AbortController();
    for await (const _ of store.subscribe({ signal: new AbortController().signal })) break;
    for await (const { caughtUp } of store.subscribe({ signal: signal.signal })) if (caughtUp) signal.abort();
    const failing = (async () => {
      for await (const _ of store.subscribe({ signal: new AbortController().signal }))
        throw new Error('the consumer');
    })();
    await expect(failing).rejects.toThrow('the consumer');
    await store.readAll({ limit: 1 });
    await eventually(() => peer.subscriptions === 0);
  });

  it('leaves nothing running on the server when it is left before it has begun', async () => {
    const { peer, store } = await stores.started();
    await store.head();
    const leaving = new AbortController();
    const first = store.subscribe({ signal: leaving.signal })[Symbol.asyncIterator]().next();
    leaving.abort();
    expect((await first).done).toBe(true);
    // These calls reach the server after the calls that the subscription has under way.
    await store.head();
    await store.readAll({ limit: 1 });
    await eventually(() => peer.subscriptions === 0);
  });

  it('asks nothing more of the server when it is left while it waits', async () => {
    const { peer, store } = await stores.started({ idleProbeMs: 60_000 });
    await store.append(freshPrefix(), 'no-stream', newEvents(1));
    const leaving = new AbortController();
    const batches = store.subscribe({ signal: leaving.signal })[Symbol.asyncIterator]();
    for (let caughtUp = false; !caughtUp;) ({ caughtUp } = (await batches.next()).value!);
    const waiting = batches.next();
    // Until it waits.
    await new Promise((resume) => setTimeout(resume, 100));
    const { read } = peer.calls;
    leaving.abort();
    expect((await waiting).done).toBe(true);
    await store.head();
    expect(peer.calls.read).toBe(read + 1);
  });

  it('makes the server wait for a consumer that waits', async () => {
    const { peer, store } = await stores.started();
    const stream = freshPrefix();
    const large = () => Array.from({ length: 10 }, () => newEvent('x'.repeat(90_000)));
    for (let written = 0; written < 300; written += 10)
      await store.append(stream, written === 0 ? 'no-stream' : BigInt(written - 1), large());
    const settled = async () => {
      let before: number;
      do {
        before = peer.sentEvents;
        await new Promise((resume) => setTimeout(resume, 200));
      } while (before < peer.sentEvents);
      return before;
    };
    const options = { filter: { streamPrefixes: [stream] }, batchSize: 5 };
    const { events } = await collect(
      store,
      options,
      (all) => all.events.length >= 300,
      async (batch) => {
        if (batch.events[0]?.revision !== 0n) return;
        expect(await settled()).toBeLessThan(250);
      },
    );
    expectUnbroken(events);
  });

  it('never passes an event that waits in a buffer, whatever the checkpoints say', async () => {
    const { store } = await stores.started();
    const prefix = freshPrefix();
    for (let n = 0; n < 300; n++)
      await store.append(`${prefix}${n % 10 === 0 ? 'in' : 'out'}${n}`, 'any', newEvents(1));
    const batches: SubscriptionBatch[] = [];
    const filter = { streamPrefixes: [`${prefix}in`] };
    const collected = await collect(
      store,
      { filter, batchSize: 2 },
      (all) => all.events.length >= 30,
      async (batch) => {
        batches.push(batch);
        await new Promise((resume) => setTimeout(resume, 5));
      },
    );
    expect(collected.events).toHaveLength(30);
    for (const [at, { position }] of batches.entries())
      expect(
        batches.slice(at + 1).every((later) => later.events.every((event) => event.position > position)),
      ).toBe(true);
  });

  describe('a filtered consumer to whom nothing comes', () => {
    const nothing = () => ({ streamPrefixes: [freshPrefix()] });

    /** Expects the consumer to reach a position after `events` events that its filter excludes. */
    async function reaches(
      store: EventStore,
      events: number,
      least: (last: bigint) => bigint,
    ): Promise<void> {
      let goal: bigint | undefined;
      const reached = ({ batches }: { batches: SubscriptionBatch[] }) =>
        goal !== undefined && batches.at(-1)!.position >= goal;
      const { batches } = await collect(store, { filter: nothing() }, reached, async ({ caughtUp }) => {
        if (!caughtUp || goal !== undefined) return;
        const outcome = await store.append(freshPrefix(), 'no-stream', newEvents(events));
        if (outcome.outcome === 'appended') goal = least(outcome.position);
      });
      expect(batches.every((batch) => batch.events.length === 0)).toBe(true);
    }

    it('moves on with the checkpoints of the server', async () => {
      const { store } = await stores.started({ idleProbeMs: 60_000 });
      await reaches(store, 100, (last) => last / 2n);
    });

    it('moves on to the very end between two checkpoints', async () => {
      const { store } = await stores.started({ idleProbeMs: 50 });
      await reaches(store, 3, (last) => last);
    });

    it('stays in a young log, where the server tells it of a place that is none', async () => {
      const { store } = await stores.started({ idleProbeMs: 60_000 });
      await store.append(freshPrefix(), 'no-stream', newEvents(3));
      const head = await store.head();
      const { batches } = await collect(store, { filter: nothing() }, (all) => all.batches.at(-1)!.caughtUp);
      expect(batches.at(-1)!.position).toBe(head);
    });

    it('misses nothing when it goes on from such a place', async () => {
      const { store } = await stores.started({ idleProbeMs: 50 });
      const stream = freshPrefix();
      const filter = { streamPrefixes: [stream] };
      await store.append(freshPrefix(), 'no-stream', newEvents(40));
      const { batches } = await collect(store, { filter }, (all) => all.batches.at(-1)!.caughtUp);
      const after = batches.at(-1)!.position;
      await store.append(stream, 'no-stream', newEvents(5));
      const { events } = await collect(store, { filter, after }, (all) => all.events.length >= 5);
      expectUnbroken(events);
    });
  });

  it("delivers none of the server's own events, and does not take one for the head", async () => {
    const { peer, store } = await stores.started();
    expect(await store.head()).toBeUndefined();
    const outcome = await store.append(freshPrefix(), 'no-stream', newEvents(1));
    const own = { id: crypto.randomUUID(), type: '$statistics', contentType: 'application/json' };
    peer.log.append('$stats', 'any', [{ ...own, data: Buffer.from('{}'), metadata: Buffer.of() }]);
    peer.log.append('$odd', 'any', [
      { ...own, id: crypto.randomUUID(), type: 'Plain', data: Buffer.from('{}'), metadata: Buffer.of() },
    ]);
    expect(await store.head()).toBe(outcome.outcome === 'appended' && outcome.position);
    expect(await store.readAll()).toHaveLength(1);
    expect(await store.readAll({ filter: { streamPrefixes: ['$'] } })).toEqual([]);
    const { events } = await collect(store, {}, (all) => all.batches.at(-1)!.caughtUp);
    expect(events).toHaveLength(1);
  });

  it('refuses a checkpoint that lies beyond the end of the log', async () => {
    const { store } = await stores.started();
    const { signal } = new AbortController();
    const consuming = (async () => {
      for await (const _ of store.subscribe({ after: 10n ** 15n, signal })) break;
    })();
    await expect(consuming).rejects.toThrow(EventStoreError);
  });
});

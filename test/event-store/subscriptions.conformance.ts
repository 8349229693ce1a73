import { describe, expect, it } from 'vitest';
import { collect, expectUnbroken, freshPrefix, newEvents, writeOneByOne, type Subject } from './harness.js';

export function describeSubscriptions(subject: () => Subject): void {
  describe('subscribe', () => {
    it('delivers what there is, says that it caught up, and goes on with what comes', async () => {
      const { store } = subject();
      const prefix = freshPrefix();
      await store.append(`${prefix}1`, 'no-stream', newEvents(250));
      let live: Promise<unknown> | undefined;
      const { events, batches } = await collect(
        store,
        { filter: { streamPrefixes: [prefix] }, batchSize: 100 },
        (collected) => collected.events.length >= 260,
        ({ caughtUp }) => {
          if (caughtUp) live ??= writeOneByOne(store, `${prefix}2`, newEvents(10));
        },
      );
      await live;
      expect(events.length).toBe(260);
      expectUnbroken(events);
      expect(batches.every((batch) => batch.events.length <= 100)).toBe(true);
      const positions = batches.map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted((a, b) => Number(a - b)));
      for (const { events: delivered, position } of batches)
        expect(position).toBeGreaterThanOrEqual(delivered.at(-1)?.position ?? 0n);
    });

    it('starts after the position that it is given', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(10));
      const filter = { streamPrefixes: [stream] };
      const all = await store.readAll({ filter });
      const options = { filter, after: all[3]!.position };
      const { events } = await collect(store, options, (collected) => collected.events.length >= 6);
      expect(events).toEqual(all.slice(4));
    });

    it('delivers what was appended by another client within a second', async () => {
      const { store, harness } = subject();
      const writer = harness.open();
      const stream = freshPrefix();
      const filter = { streamPrefixes: [stream] };
      let appendedAt = 0;
      const { events } = await collect(
        store,
        { filter, after: (await store.head())! },
        (collected) => collected.events.length > 0,
        async ({ caughtUp, events: delivered }) => {
          if (!caughtUp || delivered.length > 0 || appendedAt > 0) return;
          await writer.append(stream, 'no-stream', newEvents(1));
          appendedAt = performance.now();
        },
      );
      expect(events.length).toBe(1);
      expect(performance.now() - appendedAt).toBeLessThan(1000);
      await writer.close();
    });

    it('lets pass what has one of the types and one of the prefixes, live too', async () => {
      const { store } = subject();
      const prefix = freshPrefix();
      await store.append(`${prefix}a-1`, 'no-stream', newEvents(3, 'Drawn'));
      await store.append(`${prefix}b-1`, 'no-stream', newEvents(3, 'Drawn'));
      let live: Promise<unknown> | undefined;
      const { events } = await collect(
        store,
        { filter: { types: ['Drawn', 'Sold'], streamPrefixes: [`${prefix}a-`] } },
        (collected) => collected.events.some(({ type }) => type === 'Sold'),
        ({ caughtUp }) => {
          if (!caughtUp || live) return;
          live = store
            .append(`${prefix}a-1`, 2n, newEvents(2, 'Hidden'))
            .then(() => store.append(`${prefix}b-1`, 2n, newEvents(1, 'Sold')))
            .then(() => store.append(`${prefix}a-1`, 4n, newEvents(1, 'Sold')));
        },
      );
      await live;
      expect(events.map(({ stream, revision }) => `${stream.slice(prefix.length)}@${revision}`)).toEqual([
        'a-1@0',
        'a-1@1',
        'a-1@2',
        'a-1@5',
      ]);
    });

    it('moves its position past events that do not pass the filter', async () => {
      const { store } = subject();
      const result = await store.append(freshPrefix(), 'no-stream', newEvents(3));
      if (result.outcome !== 'appended') throw new Error('The stream is new');
      const reached = (position: bigint) => position >= result.position;
      const { events, batches } = await collect(
        store,
        { filter: { streamPrefixes: [freshPrefix()] } },
        (collected) => reached(collected.batches.at(-1)!.position),
      );
      expect(events).toEqual([]);
      expect(batches.length).toBeGreaterThan(0);
    });

    it('waits for a slow consumer and loses nothing meanwhile', async () => {
      const { store } = subject();
      const prefix = freshPrefix();
      const writing = Promise.all([1, 2, 3].map((n) => writeOneByOne(store, `${prefix}${n}`, newEvents(80))));
      let open = 0;
      const { events } = await collect(
        store,
        { filter: { streamPrefixes: [prefix] }, batchSize: 20 },
        (collected) => collected.events.length >= 240,
        async () => {
          expect(++open).toBe(1);
          await new Promise((resume) => setTimeout(resume, 15));
          open -= 1;
        },
      );
      await writing;
      expect(events.length).toBe(240);
      expectUnbroken(events);
    });

    it('misses, doubles and swaps nothing while clients and other processes write', async () => {
      const { store, harness } = subject();
      const prefix = freshPrefix();
      const jobs = ['x', 'y'].map((name) => ({ prefix: `${prefix}${name}-`, streams: 6, events: 40 }));
      const clients = [harness.open(), harness.open()];
      const writing = [
        ...clients.flatMap((client, c) =>
          Array.from({ length: 6 }, (_, n) => writeOneByOne(client, `${prefix}${c}-${n}`, newEvents(40))),
        ),
        ...(harness.writeElsewhere ? jobs.map((job) => harness.writeElsewhere!(job)) : []),
      ];
      const expected = harness.writeElsewhere ? 960 : 480;
      const whole = { filter: { streamPrefixes: [prefix] }, batchSize: 50 };
      const readers = [store, store, clients[0]!].map((reader) =>
        collect(reader, whole, (collected) => collected.events.length >= expected),
      );
      await Promise.all(writing);
      const logs = await Promise.all(readers);
      for (const { events } of logs) {
        expect(events.length).toBe(expected);
        expectUnbroken(events);
        expect(events).toEqual(logs[0]!.events);
      }
      await Promise.all(clients.map((client) => client.close()));
    });

    it('ends promptly and without an error when its signal fires, idle or in the middle', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(50));
      const idle = new AbortController();
      const abortedAt = { time: 0 };
      const head = (await store.head())!;
      const options = { filter: { streamPrefixes: [stream] }, signal: idle.signal, after: head };
      for await (const { caughtUp } of store.subscribe(options)) {
        if (!caughtUp || abortedAt.time > 0) continue;
        setTimeout(() => {
          abortedAt.time = performance.now();
          idle.abort();
        }, 50);
      }
      expect(performance.now() - abortedAt.time).toBeLessThan(200);

      const busy = { filter: { streamPrefixes: [stream] }, batchSize: 10 };
      const { events } = await collect(store, busy, (collected) => collected.events.length >= 20);
      // A batch may hold fewer than ten.
      expect(events.length).toBeLessThan(30);

      const never = { signal: AbortSignal.abort() };
      for await (const batch of store.subscribe(never))
        throw new Error(`Delivered ${batch.events.length} events`);
    });

    it('ends when the store is closed', async () => {
      const store = subject().harness.open();
      const signal = new AbortController().signal;
      let closing: Promise<void> | undefined;
      for await (const { caughtUp } of store.subscribe({ signal })) if (caughtUp) closing ??= store.close();
      await closing;
    });

    it('can be left with break and taken up again where it was left', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(30));
      const filter = { streamPrefixes: [stream] };
      const seen: bigint[] = [];
      let after: bigint | undefined;
      while (seen.length < 30) {
        const start = after === undefined ? {} : { after };
        const { signal } = new AbortController();
        for await (const batch of store.subscribe({ filter, batchSize: 7, signal, ...start })) {
          seen.push(...batch.events.map(({ revision }) => revision));
          after = batch.position;
          break;
        }
      }
      expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => BigInt(n)));
    });
  });
}

import { beforeAll, describe, expect, it } from 'vitest';
import { EventStoreUnavailable } from '#event-store/event-store.js';
import { eventsIn, expectUnbroken, freshPrefix, newEvents, type Subject, writeOneByOne } from './harness.js';

export function describeReads(subject: () => Subject): void {
  describe('read', () => {
    const longStream = freshPrefix();
    const length = 10_000;

    beforeAll(async () => {
      const { store } = subject();
      for (let written = 0; written < length; written += 1000)
        await store.append(longStream, written === 0 ? 'no-stream' : BigInt(written - 1), newEvents(1000));
    });

    it('tells a missing stream from one without further events', async () => {
      const { store } = subject();
      expect(await store.readStream(freshPrefix())).toEqual({ kind: 'stream-not-found' });
      expect(await store.readStream(freshPrefix(), { direction: 'backwards' })).toEqual({
        kind: 'stream-not-found',
      });
      expect(await store.readStream(longStream, { from: BigInt(length) })).toEqual({
        kind: 'found',
        events: [],
      });
    });

    it.each([1000, 4096])('reads 10,000 events in pages of %i forwards', async (limit) => {
      const { store } = subject();
      const revisions: bigint[] = [];
      for (let from = 0n; ; from = revisions.at(-1)! + 1n) {
        const events = await eventsIn(store, longStream, { from, limit });
        if (events.length === 0) break;
        expect(events.length).toBeLessThanOrEqual(limit);
        revisions.push(...events.map(({ revision }) => revision));
      }
      expect(revisions).toEqual(Array.from({ length }, (_, n) => BigInt(n)));
    });

    it('reads 10,000 events in pages backwards', async () => {
      const { store } = subject();
      const revisions: bigint[] = [];
      for (let from: bigint | undefined; from === undefined || from >= 0n; from = revisions.at(-1)! - 1n) {
        const start = from === undefined ? {} : { from };
        const options = { ...start, direction: 'backwards', limit: 3000 } as const;
        revisions.push(...(await eventsIn(store, longStream, options)).map(({ revision }) => revision));
      }
      expect(revisions).toEqual(Array.from({ length }, (_, n) => BigInt(length - 1 - n)));
    });

    it('gives 4096 events when no limit is named, and never more', async () => {
      const { store } = subject();
      expect(await eventsIn(store, longStream)).toHaveLength(4096);
      expect(await eventsIn(store, longStream, { limit: 9999 })).toHaveLength(4096);
    });

    it('reads the last event with one call', async () => {
      const { store } = subject();
      const last = await eventsIn(store, longStream, { direction: 'backwards', limit: 1 });
      expect(last).toMatchObject([{ revision: BigInt(length - 1) }]);
    });

    it('refuses a limit that is no number of events', async () => {
      const { store } = subject();
      await expect(store.readStream(longStream, { limit: 0 })).rejects.toThrow(RangeError);
      await expect(store.readAll({ limit: 1.5 })).rejects.toThrow(RangeError);
    });

    it('reads the whole log in position order, page by page, after a position that is not included', async () => {
      const { store } = subject();
      const filter = { streamPrefixes: [longStream] };
      const first = await store.readAll({ limit: 4000, filter });
      const second = await store.readAll({ limit: 4000, filter, after: first.at(-1)!.position });
      const third = await store.readAll({ limit: 4000, filter, after: second.at(-1)!.position });
      expect([first.length, second.length, third.length]).toEqual([4000, 4000, 2000]);
      expectUnbroken([...first, ...second, ...third]);
    });

    it('lets pass what has one of the types and one of the prefixes', async () => {
      const { store } = subject();
      const prefix = freshPrefix();
      await store.append(`${prefix}a-1`, 'no-stream', newEvents(2, 'Drawn'));
      await store.append(`${prefix}a-1`, 1n, newEvents(1, 'Sold'));
      await store.append(`${prefix}b-1`, 'no-stream', newEvents(1, 'Drawn'));
      await store.append(`${prefix}ab`, 'no-stream', newEvents(1, 'Drawn%'));
      const places = async (types: string[] | undefined, ...prefixes: string[]) => {
        const streamPrefixes = prefixes.map((each) => `${prefix}${each}`);
        const events = await store.readAll({ filter: { ...(types ? { types } : {}), streamPrefixes } });
        return events.map(({ stream, revision }) => `${stream.slice(prefix.length)}@${revision}`);
      };
      expect(await places(['Drawn'], '')).toEqual(['a-1@0', 'a-1@1', 'b-1@0']);
      expect(await places(['Drawn', 'Sold'], 'a-')).toEqual(['a-1@0', 'a-1@1', 'a-1@2']);
      expect(await places(undefined, 'a-', 'b')).toEqual(['a-1@0', 'a-1@1', 'a-1@2', 'b-1@0']);
      expect(await places(['Draw'], '')).toEqual([]);
    });

    it('knows the last event at or before a position, and none before the first', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(3));
      const [first, second, third] = await eventsIn(store, stream);
      expect((await store.head())! >= third!.position).toBe(true);
      expect(await store.lastEvent(second!.position)).toEqual(second);
      expect(await store.lastEvent(first!.position)).toEqual(first);
      const last = await store.lastEvent();
      expect(last!.position).toBeGreaterThan(second!.position);
      // Others may write to the same log meanwhile.
      const beyond = await store.lastEvent(last!.position * 2n + 1_000_000n);
      expect(beyond!.position).toBeGreaterThanOrEqual(last!.position);
      expect(beyond!.position).toBeLessThanOrEqual((await store.head())!);
      expect(await store.lastEvent(0n)).toBeUndefined();
    });

    it('knows it also while the log grows: never a later one', async () => {
      const { store, harness } = subject();
      const writer = harness.open();
      const stream = freshPrefix();
      let head = (await store.head())!;
      const growing = writeOneByOne(writer, stream, newEvents(60));
      for (let look = 0; look < 60; look++) {
        const last = await store.lastEvent(head);
        expect(last!.position).toBeLessThanOrEqual(head);
        head = (await store.head())!;
      }
      await growing;
      await writer.close();
    });

    it('names its log, each time by the same name, and delivers no event of it', async () => {
      const { store, harness } = subject();
      const other = harness.open();
      const names = await Promise.all([store, other, store].map((client) => client.identity()));
      expect(new Set(names).size).toBe(1);
      expect(names[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect((await store.lastEvent())?.type).not.toBe('LogNamed');
      await other.close();
    });

    it('refuses every call once it was closed', async () => {
      const store = subject().harness.open();
      await store.append(freshPrefix(), 'no-stream', newEvents(1));
      await store.close();
      await expect(store.append(freshPrefix(), 'no-stream', newEvents(1))).rejects.toThrow(
        EventStoreUnavailable,
      );
      await expect(store.readStream(longStream)).rejects.toThrow(EventStoreUnavailable);
      await expect(store.head()).rejects.toThrow(EventStoreUnavailable);
      await store.close();
    });
  });
}

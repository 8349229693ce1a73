import { describe, expect, it } from 'vitest';
import { DuplicateEventId } from '#event-store/event-store.js';
import { eventsIn, expectUnbroken, freshPrefix, newEvent, newEvents, type Subject } from './harness.js';

export function describeAppends(subject: () => Subject): void {
  describe('append', () => {
    it('starts a stream at revision 0 and tells where each append ended', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const first = await store.append(stream, 'no-stream', newEvents(1));
      const second = await store.append(stream, 0n, newEvents(3));
      expect(first).toMatchObject({ outcome: 'appended', revision: 0n, replayed: false });
      expect(second).toMatchObject({ outcome: 'appended', revision: 3n, replayed: false });
      if (first.outcome !== 'appended' || second.outcome !== 'appended') return;
      expect(second.position).toBeGreaterThan(first.position);
      const events = await eventsIn(store, stream);
      expect(events.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n]);
      expect(events.at(-1)?.position).toBe(second.position);
    });

    it('refuses every expectation that is not met, and says what the stream is like', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const refused = (actual: bigint | 'no-stream') => ({ outcome: 'wrong-expected-revision', actual });
      expect(await store.append(stream, 0n, newEvents(1))).toEqual(refused('no-stream'));
      await store.append(stream, 'no-stream', newEvents(3));
      expect(await store.append(stream, 'no-stream', newEvents(1))).toEqual(refused(2n));
      expect(await store.append(stream, 1n, newEvents(1))).toEqual(refused(2n));
      expect(await store.append(stream, 3n, newEvents(1))).toEqual(refused(2n));
      expect(await eventsIn(store, stream)).toHaveLength(3);
    });

    it("takes 'any' for a new stream and for an old one", async () => {
      const { store } = subject();
      const stream = freshPrefix();
      expect(await store.append(stream, 'any', newEvents(1))).toMatchObject({
        outcome: 'appended',
        revision: 0n,
      });
      expect(await store.append(stream, 'any', newEvents(2))).toMatchObject({
        outcome: 'appended',
        revision: 2n,
      });
    });

    it('gives back what was written: id, type, data, metadata', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const data = { nested: { list: [1, 2.5, null, true], text: 'ü' }, order: { z: 1, a: 2 } };
      const event = newEvent(data, { type: 'ShapeKept' });
      const metadata = { ...event.metadata, traceparent: '00-aa-bb-01', extra: { kept: [1] } };
      await store.append(stream, 'no-stream', [{ ...event, metadata }]);
      const [found] = await eventsIn(store, stream);
      expect(found).toMatchObject({ ...event, metadata, stream, revision: 0n });
      expect(JSON.stringify(found!.data)).toBe(JSON.stringify(data));
    });

    it('answers a repeated append as the first time, also when the stream has grown since', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const [opening, middle] = [newEvents(2), newEvents(2)];
      const first = await store.append(stream, 'no-stream', opening);
      const second = await store.append(stream, 1n, middle);
      await store.append(stream, 3n, newEvents(1));
      expect(await store.append(stream, 'no-stream', opening)).toEqual({ ...first, replayed: true });
      expect(await store.append(stream, 1n, middle)).toEqual({ ...second, replayed: true });
      expect(await eventsIn(store, stream)).toHaveLength(5);
    });

    it('refuses an append that repeats only a part of an earlier one', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const [a, b] = [newEvent(), newEvent()];
      await store.append(stream, 'no-stream', [a, b]);
      await expect(store.append(stream, 'no-stream', [a, newEvent()])).rejects.toThrow(DuplicateEventId);
      await expect(store.append(stream, 'no-stream', [a, b, newEvent()])).rejects.toThrow(DuplicateEventId);
      await expect(store.append(stream, 'no-stream', [b, a])).rejects.toThrow(DuplicateEventId);
      expect((await eventsIn(store, stream)).map(({ id }) => id)).toEqual([a.id, b.id]);
    });

    it('gives each of many appends that wait together its own verdict', async () => {
      const { store } = subject();
      const prefix = freshPrefix();
      const outcomes = await Promise.all(
        Array.from({ length: 120 }, (_, n) =>
          store.append(`${prefix}${n}`, n % 3 === 0 ? 7n : 'no-stream', newEvents((n % 4) + 1)),
        ),
      );
      outcomes.forEach((result, n) => {
        if (n % 3 === 0) expect(result).toEqual({ outcome: 'wrong-expected-revision', actual: 'no-stream' });
        else expect(result).toMatchObject({ outcome: 'appended', revision: BigInt(n % 4), replayed: false });
      });
      const events = await store.readAll({ filter: { streamPrefixes: [prefix] } });
      expectUnbroken(events);
      for (const [n, result] of outcomes.entries()) {
        if (result.outcome !== 'appended') continue;
        const own = events.filter(({ stream }) => stream === `${prefix}${n}`);
        expect(own.at(-1)?.position).toBe(result.position);
        expect(own.map(({ data }) => data)).toEqual(own.map((_, at) => ({ n: at })));
      }
    });

    it('lets exactly one of several writers have each revision', async () => {
      const { store, harness } = subject();
      const others = [harness.open(), harness.open()];
      const stream = freshPrefix();
      await store.append(stream, 'no-stream', newEvents(1));
      const wins: bigint[] = [];
      const write = async (writer: typeof store) => {
        for (let known = 0n; known < 60n;) {
          const result = await writer.append(stream, known, newEvents(1));
          if (result.outcome === 'appended') wins.push(result.revision);
          known = result.outcome === 'appended' ? result.revision : (result.actual as bigint);
        }
      };
      await Promise.all([store, ...others].flatMap((writer) => [write(writer), write(writer)]));
      await Promise.all(others.map((other) => other.close()));
      const events = await eventsIn(store, stream);
      expectUnbroken(events);
      expect(wins.toSorted((a, b) => Number(a - b))).toEqual(events.slice(1).map(({ revision }) => revision));
    });
  });
}

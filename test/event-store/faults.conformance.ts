import { afterEach, describe, expect, it } from 'vitest';
import { AppendOutcomeUnknown, EventStoreUnavailable, type EventStore } from '#event-store/event-store.js';
import { eventually } from '../support/eventually.js';
import {
  collect,
  eventsIn,
  expectUnbroken,
  freshPrefix,
  newEvents,
  whileRepeating,
  writeOneByOne,
  type Faults,
  type Subject,
} from './harness.js';

/** On a slow machine a first connection may take longer than the short deadlines here. */
async function atLast<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable)) throw error;
    }
  }
}

export function describeFaults(subject: () => Subject): void {
  describe('on a bad day', () => {
    const opened: EventStore[] = [];

    function disturbed(
      options?: Parameters<Faults['open']>[0],
    ): { faults: Faults; store: EventStore } | undefined {
      const { faults } = subject().harness;
      if (faults === undefined) return undefined;
      const store = faults.open(options);
      opened.push(store);
      return { faults, store };
    }

    const exists = async (stream: string) => (await eventsIn(subject().store, stream)).length > 0;

    afterEach(async () => {
      subject().harness.faults?.restore();
      await Promise.all(opened.splice(0).map((store) => store.close()));
    });

    it('finds out by itself that an append happened whose answer was lost', async () => {
      const day = disturbed();
      if (!day) return;
      const stream = freshPrefix();
      await day.store.append(stream, 'no-stream', newEvents(1));
      day.faults.holdAnswers();
      const pending = [
        day.store.append(stream, 0n, newEvents(3)),
        ...[1, 2, 3].map((n) => day.store.append(`${stream}${n}`, 'no-stream', newEvents(1))),
      ];
      // Appends to several streams may be carried out in any order.
      await eventually(async () => {
        const first = await eventsIn(subject().store, stream);
        const others = await Promise.all([1, 2, 3].map((n) => exists(`${stream}${n}`)));
        return first.length === 4 && others.every(Boolean);
      });
      day.faults.cut();
      day.faults.restore();
      const outcomes = await Promise.all(pending);
      expect(outcomes[0]).toMatchObject({ outcome: 'appended', revision: 3n, replayed: true });
      for (const result of outcomes.slice(1))
        expect(result).toMatchObject({ outcome: 'appended', revision: 0n });
      expect(await eventsIn(subject().store, stream)).toHaveLength(4);
    });

    it("finds it out for 'any' too, and appends nothing twice", async () => {
      const day = disturbed();
      if (!day) return;
      const stream = freshPrefix();
      await atLast(() => day.store.head());
      day.faults.holdAnswers();
      const pending = day.store.append(stream, 'any', newEvents(2));
      await eventually(() => exists(stream));
      await subject().store.append(stream, 1n, newEvents(1));
      day.faults.cut();
      day.faults.restore();
      expect(await pending).toMatchObject({ outcome: 'appended', revision: 1n, replayed: true });
      expect(await eventsIn(subject().store, stream)).toHaveLength(3);
    });

    it('does not wait for ever for a store that fell silent', async () => {
      const day = disturbed({ answerTimeoutMs: 150 });
      if (!day) return;
      const stream = freshPrefix();
      await atLast(() => day.store.head());
      day.faults.holdAnswers();
      const pending = day.store.append(stream, 'no-stream', newEvents(1));
      await eventually(() => exists(stream));
      await new Promise((resume) => setTimeout(resume, 300));
      day.faults.restore();
      expect(await pending).toMatchObject({ outcome: 'appended', revision: 0n });
    });

    it('says when it cannot know, and the same call then finds out', async () => {
      const day = disturbed({ deadlineMs: 400, answerTimeoutMs: 150 });
      if (!day) return;
      const stream = freshPrefix();
      const events = newEvents(2);
      await atLast(() => day.store.head());
      day.faults.holdAnswers();
      await expect(day.store.append(stream, 'no-stream', events)).rejects.toThrow(AppendOutcomeUnknown);
      await eventually(() => exists(stream));
      day.faults.cut();
      day.faults.restore();
      // A busy machine may need longer for a connection than this store waits.
      const again = await atLast(() => day.store.append(stream, 'no-stream', events));
      expect(again).toMatchObject({ outcome: 'appended', revision: 1n, replayed: true });
    });

    it('says that nothing was written when the store could not be reached, and works again afterwards', async () => {
      const day = disturbed({ deadlineMs: 300 });
      if (!day) return;
      day.faults.refuse();
      const stream = freshPrefix();
      await expect(day.store.append(stream, 'no-stream', newEvents(1))).rejects.toThrow(
        EventStoreUnavailable,
      );
      await expect(day.store.readStream(stream)).rejects.toThrow(EventStoreUnavailable);
      await expect(day.store.readAll()).rejects.toThrow(EventStoreUnavailable);
      await expect(day.store.head()).rejects.toThrow(EventStoreUnavailable);
      day.faults.restore();
      expect(await atLast(() => day.store.readStream(stream))).toEqual({ kind: 'stream-not-found' });
      expect(await atLast(() => day.store.append(stream, 'no-stream', newEvents(1)))).toMatchObject({
        outcome: 'appended',
      });
    });

    it('waits for a store that comes back within the deadline', async () => {
      const day = disturbed();
      if (!day) return;
      day.faults.refuse();
      const stream = freshPrefix();
      const pending = day.store.append(stream, 'no-stream', newEvents(1));
      const reading = day.store.head();
      setTimeout(day.faults.restore, 300);
      expect(await pending).toMatchObject({ outcome: 'appended', revision: 0n });
      await reading;
    });

    it('resumes a subscription whose connection is cut again and again, after the last delivered event', async () => {
      const day = disturbed();
      if (!day) return;
      const prefix = freshPrefix();
      const writing = Promise.all(
        [1, 2, 3].map((n) => writeOneByOne(subject().store, `${prefix}${n}`, newEvents(100), 8)),
      );
      const options = { filter: { streamPrefixes: [prefix] }, batchSize: 10 };
      const { events } = await whileRepeating(day.faults.cut, () =>
        collect(day.store, options, (all) => all.events.length >= 300),
      );
      await writing;
      expect(events.length).toBe(300);
      expectUnbroken(events);
    });

    it('ends a subscription promptly while the store is away', async () => {
      const day = disturbed();
      if (!day) return;
      day.faults.refuse();
      const ending = new AbortController();
      setTimeout(() => ending.abort(), 300);
      const startedAt = performance.now();
      for await (const batch of day.store.subscribe({ signal: ending.signal }))
        throw new Error(`Delivered ${batch.events.length} events`);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });

    it('appends each event once under random cuts', async () => {
      const day = disturbed();
      if (!day) return;
      const prefix = freshPrefix();
      await whileRepeating(day.faults.cut, () =>
        Promise.all(
          Array.from({ length: 8 }, (_, n) => writeOneByOne(day.store, `${prefix}${n}`, newEvents(100))),
        ),
      );
      const events = await subject().store.readAll({ filter: { streamPrefixes: [prefix] } });
      expect(events.length).toBe(800);
      expect(new Set(events.map(({ id }) => id)).size).toBe(800);
      expectUnbroken(events);
    });
  });
}

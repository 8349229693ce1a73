import { describe, expect, it } from 'vitest';
import { DuplicateEventId, InvalidAppend, type StreamWrite } from '#event-store/event-store.js';
import { eventsIn, expectUnbroken, freshPrefix, newEvents, type Subject } from './harness.js';

/** For stores that can append to several streams at once; other stores skip these tests. */
export function describeTogether(subject: () => Subject): void {
  describe('append to several streams at once', () => {
    const together = async (writes: readonly StreamWrite[]) => subject().store.appendTogether!(writes);
    const write = (stream: string, count = 1): StreamWrite => ({
      stream,
      expectedRevision: 'no-stream',
      events: newEvents(count),
    });
    const countOf = async (stream: string) => (await eventsIn(subject().store, stream)).length;

    it('writes all of it, in the order given, with nothing in between', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const prefix = freshPrefix();
      await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          together([write(`${prefix}${n}-a`, 2), write(`${prefix}${n}-b`)]),
        ),
      );
      const events = await store.readAll({ filter: { streamPrefixes: [prefix] } });
      expectUnbroken(events);
      for (let n = 0; n < 30; n++) {
        const first = events.findIndex(({ stream }) => stream.startsWith(`${prefix}${n}-`));
        const own = events.slice(first, first + 3);
        expect(own.map(({ stream }) => stream.slice(prefix.length))).toEqual([`${n}-a`, `${n}-a`, `${n}-b`]);
      }
    });

    it('tells where each write ended', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const prefix = freshPrefix();
      await store.append(`${prefix}a`, 'no-stream', newEvents(2));
      const outcome = await together([
        { stream: `${prefix}a`, expectedRevision: 1n, events: newEvents(1) },
        { stream: `${prefix}guard`, expectedRevision: 'no-stream', events: [] },
        write(`${prefix}b`, 2),
      ]);
      if (outcome.outcome !== 'appended') throw new Error('it was not appended');
      expect(outcome).toMatchObject({
        writes: [{ revision: 2n }, undefined, { revision: 1n }],
        replayed: false,
      });
      const last = (await eventsIn(store, `${prefix}b`)).at(-1);
      expect(last?.position).toBe(outcome.writes[2]!.position);
    });

    it('writes nothing where one stream is not at its revision, and says which', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const prefix = freshPrefix();
      await store.append(`${prefix}a`, 'no-stream', newEvents(1));
      expect(await together([write(`${prefix}b`), write(`${prefix}a`)])).toEqual({
        outcome: 'wrong-expected-revision',
        streams: [`${prefix}a`],
      });
      expect(await countOf(`${prefix}b`)).toBe(0);
      expect(await countOf(`${prefix}a`)).toBe(1);
    });

    it('writes nothing where a guarded stream has moved on, also when both wait together', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const prefix = freshPrefix();
      const guard = { stream: `${prefix}guard`, expectedRevision: 'no-stream', events: [] } as const;
      const guarded = (n: number) => together([write(`${prefix}${n}`), guard]);
      const writes = [guarded(0), guarded(1)];
      const move = store.append(`${prefix}guard`, 'no-stream', newEvents(1));
      writes.push(guarded(2), guarded(3));
      const outcomes = await Promise.all(writes);
      expect(await move).toMatchObject({ outcome: 'appended' });
      outcomes.push(await guarded(4));
      // Every write that the guard allowed is in the log before the event that moved the guarded stream.
      const happened = outcomes.flatMap(({ outcome }, n) => (outcome === 'appended' ? [String(n)] : []));
      const events = await store.readAll({ filter: { streamPrefixes: [prefix] } });
      const names = events.map(({ stream }) => stream.slice(prefix.length));
      expect(names.at(-1)).toBe('guard');
      expect(names.slice(0, -1).toSorted()).toEqual(happened);
      const refused = outcomes.filter(({ outcome }) => outcome !== 'appended');
      expect(refused.length).toBeGreaterThan(0);
      for (const each of refused) {
        expect(each).toEqual({ outcome: 'wrong-expected-revision', streams: [`${prefix}guard`] });
      }
    });

    it('answers the repetition of one that happened as the first time', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const prefix = freshPrefix();
      const writes = [write(`${prefix}a`, 2), write(`${prefix}b`)];
      const first = await together(writes);
      await store.append(`${prefix}a`, 1n, newEvents(1));
      expect(await together(writes)).toEqual({ ...first, replayed: true });
      expect(await countOf(`${prefix}a`)).toBe(3);
    });

    it('refuses one of which a part has happened', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const prefix = freshPrefix();
      const [a, b] = [write(`${prefix}a`), write(`${prefix}b`)];
      await store.append(a.stream, 'no-stream', a.events);
      await expect(together([a, b])).rejects.toThrow(DuplicateEventId);
      expect(await countOf(b.stream)).toBe(0);
    });

    it('refuses what makes no sense', async () => {
      const { store } = subject();
      if (!store.appendTogether) return;
      const stream = freshPrefix();
      await expect(together([{ ...write(stream), events: [] }])).rejects.toThrow(InvalidAppend);
      await expect(together([write(stream), write(stream)])).rejects.toThrow(InvalidAppend);
      const { events } = write(stream);
      await expect(
        together([
          { ...write(stream), events },
          { ...write(`${stream}b`), events },
        ]),
      ).rejects.toThrow(DuplicateEventId);
      expect(await countOf(stream)).toBe(0);
    });

    it('happens once when its answer is lost', async () => {
      const { harness } = subject();
      const { faults } = harness;
      const disturbed = faults?.open({ answerTimeoutMs: 300 });
      if (!faults || !disturbed?.appendTogether) return disturbed?.close();
      const prefix = freshPrefix();
      await disturbed.append(`${prefix}first`, 'no-stream', newEvents(1));
      faults.holdAnswers();
      const held = disturbed.appendTogether([write(`${prefix}a`, 2), write(`${prefix}b`)]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      faults.cut();
      faults.restore();
      expect(await held).toMatchObject({ outcome: 'appended', replayed: true });
      expect([await countOf(`${prefix}a`), await countOf(`${prefix}b`)]).toEqual([2, 1]);
      await disturbed.close();
    });
  });
}

import { describe, expect, it } from 'vitest';
import {
  EventTooLarge,
  InvalidAppend,
  maxEventBytes,
  type ExpectedRevision,
  type NewEvent,
} from '#event-store/event-store.js';
import { eventsIn, freshPrefix, newEvent, newEvents, type Subject } from './harness.js';

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const refused: [string, (stream: string) => [string, ExpectedRevision, readonly NewEvent[]]][] = [
  ['no events', (stream) => [stream, 'any', []]],
  ['an empty stream name', () => ['', 'any', newEvents(1)]],
  ['a stream name of 513 characters', (stream) => [stream.padEnd(513, 'x'), 'any', newEvents(1)]],
  ['a stream name with NUL', (stream) => [`${stream}\0`, 'any', newEvents(1)]],
  ['a stream name with half a character', (stream) => [`${stream}\ud83d`, 'any', newEvents(1)]],
  ['an empty event type', (stream) => [stream, 'any', [newEvent({}, { type: '' })]]],
  ['an id that is not a UUID', (stream) => [stream, 'any', [newEvent({}, { id: '42' })]]],
  ['a negative expected revision', (stream) => [stream, -1n, newEvents(1)]],
  ['data that is undefined', (stream) => [stream, 'any', [{ ...newEvent(), data: undefined }]]],
  ['data with a bigint', (stream) => [stream, 'any', [newEvent({ n: 1n })]]],
  ['data that contains itself', (stream) => [stream, 'any', [newEvent(circular)]]],
];

const unusual = [
  ['spaces and quotes', `it's "quoted" \\ back\\\\slash`],
  ['wildcards', '100%_off_%'],
  ['line breaks and tabs', 'one\ntwo\r\n\tthree'],
  ['other scripts and emoji', 'Größe 中文 العربية 👗👩🏽‍🎨'],
  ['braces and commas', '{a,b},{"c":NULL}'],
] as const;

export function describeInput(subject: () => Subject): void {
  describe('append, given unusual input,', () => {
    it.each(refused)('refuses %s and writes nothing', async (_, make) => {
      const { store } = subject();
      const stream = freshPrefix();
      await expect(store.append(...make(stream))).rejects.toThrow(InvalidAppend);
      expect(await store.readStream(stream)).toEqual({ kind: 'stream-not-found' });
    });

    it('refuses an event above 1 MiB with a message that names both sizes, and the whole append with it', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const large = newEvent('x'.repeat(maxEventBytes));
      const attempt = store.append(stream, 'no-stream', [newEvent(), large]);
      await expect(attempt).rejects.toThrow(EventTooLarge);
      await expect(attempt).rejects.toThrow(/has 10\d{5} bytes; the limit is 1048576/);
      expect(await store.readStream(stream)).toEqual({ kind: 'stream-not-found' });
    });

    it('counts bytes and not characters', async () => {
      const { store } = subject();
      const wide = newEvent('😀'.repeat(maxEventBytes / 4));
      await expect(store.append(freshPrefix(), 'no-stream', [wide])).rejects.toThrow(EventTooLarge);
    });

    it('keeps events of 1 byte and of 900 KiB', async () => {
      const { store } = subject();
      const stream = freshPrefix();
      const large = Array.from({ length: 900 }, (_, n) => String(n).padEnd(512, 'ä'));
      await store.append(stream, 'no-stream', [newEvent(1)]);
      await store.append(stream, 0n, [newEvent(large)]);
      await store.append(stream, 1n, [newEvent(null)]);
      expect((await eventsIn(store, stream)).map(({ data }) => data)).toEqual([1, large, null]);
    });

    it.each(unusual)('keeps %s in names, types, data and metadata', async (_, text) => {
      const { store } = subject();
      const stream = `${freshPrefix()}${text}`;
      const event = newEvent({ [text]: text, nul: 'a\u0000b', half: '\ud83d' }, { type: `Type ${text}` });
      const metadata = { ...event.metadata, tenant: text };
      await store.append(stream, 'no-stream', [{ ...event, metadata }]);
      expect(await eventsIn(store, stream)).toMatchObject([{ ...event, metadata, stream }]);
      const byPrefix = await store.readAll({
        filter: { streamPrefixes: [[...stream].slice(0, -1).join('')] },
      });
      expect(byPrefix.map(({ id }) => id)).toEqual([event.id]);
    });
  });
}

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { adoptHistory, adoptionStream, historyAdopted } from '#event-store/authentic/adopted-history.js';
import { markingUnproven, refusingUnproven } from '#event-store/authentic/authentic-store.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import { walkLog } from '#event-store/walk-log.js';
import {
  UnprovenEvent,
  type EventMetadata,
  type EventStore,
  type NewEvent,
} from '#event-store/event-store.js';
import { eventually } from '../support/eventually.js';
import { collect, eventsIn, newEvent, newEvents, type Subject } from './harness.js';

/**
 * Values that show whether a JSON round trip changes a value or the order of keys. Such a change breaks a
 * MAC.
 */
const oddities = [
  ['text of all kinds', { text: `"quoted" \\ \u0000 \u2028 Größe 👗 \ud83d` }],
  ['numbers of all kinds', { n: [-0, 1e21, 1e-7, 0.1, 2 ** 53, -1.5] }],
  ['names that are numbers', { b: 1, 10: 2, 9: 3, a: { 1: 'x', 0: 'y' } }],
  ['a name that objects have', JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toJSON": 3}')],
  ['a field that is undefined', { gone: undefined, there: null, list: [undefined] }],
  ['a time', { at: new Date(0) }],
  ['nothing but a number', 7],
] as const;

export function describeWriters(subject: () => Subject): void {
  describe('events with the MAC of their writer', () => {
    it.each(oddities)('are believed with %s in them', async (_, data) => {
      const { stream, writer, reader } = world(subject());
      await writer.append(stream, 'no-stream', [newEvent(data), newEvent(data)]);
      await writer.append(stream, 1n, [newEvent(data)]);
      await writer.append(stream, 'any', [newEvent(data)]);
      expect(await revisionsIn(reader, stream)).toEqual([0n, 1n, 2n, 3n]);
    });

    it('are believed in a write to several streams', async () => {
      const { stream, writer, reader } = world(subject());
      if (!writer.appendTogether) return;
      const writes = [stream, `${stream}b`].map((each) => ({
        stream: each,
        expectedRevision: 'no-stream' as const,
        events: newEvents(2),
      }));
      await writer.appendTogether(writes);
      for (const each of [stream, `${stream}b`]) expect(await revisionsIn(reader, each)).toEqual([0n, 1n]);
    });

    it('are what a read gives, and one without it ends the read with its name', async () => {
      const { stream, writer, reader, forger } = world(subject());
      await writer.append(stream, 'no-stream', newEvents(1));
      const forged = newEvent({ credits: 1 }, { type: 'OperationPriced' });
      await forger.append(stream, 0n, [forged]);
      const attempt = reader.readStream(stream);
      await expect(attempt).rejects.toThrow(UnprovenEvent);
      await expect(attempt).rejects.toThrow(
        `${stream} holds an event that this service did not write: OperationPriced at revision 1 (${forged.id}) carries no MAC`,
      );
      await expect(reader.readAll({ filter: { streamPrefixes: [stream] } })).rejects.toThrow(UnprovenEvent);
      // The forged event does not affect the events before it.
      expect(await revisionsIn(reader, stream, 1)).toEqual([0n]);
    });

    it('are told from others for who asks for all', async () => {
      const { stream, writer, reader, forger } = world(subject());
      await writer.append(stream, 'no-stream', newEvents(1));
      await forger.append(stream, 0n, newEvents(1));
      await writer.append(stream, 1n, newEvents(1));
      const marked = await eventsIn(reader, stream, { unprovenToo: true });
      const unproven = marked.map((event) => event.unproven);
      expect(unproven).toEqual([undefined, 'carries no MAC', undefined]);
      const options = { filter: { streamPrefixes: [stream] } };
      const all = await collect(
        reader,
        { ...options, unprovenToo: true },
        ({ events }) => events.length === 3,
      );
      expect(all.events.map((event) => event.unproven)).toEqual(unproven);
      await expect(collect(reader, options, () => false)).rejects.toThrow(UnprovenEvent);
      const [first, , last] = all.events;
      const walk = { after: first!.position, through: last!.position, signal: AbortSignal.timeout(180_000) };
      await expect(walkLog(reader, walk).next()).rejects.toThrow(UnprovenEvent);
      expect((await walkLog(reader, { ...walk, unprovenToo: true }).next()).value?.events).toHaveLength(2);
    });

    it.each(alterations)('are not believed %s', async (_, alter) => {
      const { stream, writer, reader, forger } = world(subject());
      const genuine = newEvent({ amount: 5 });
      await writer.append(stream, 'no-stream', [genuine]);
      const [{ metadata } = genuine] = await eventsIn(reader, stream);
      const target = `${stream}-altered`;
      const { event, at = target } = alter({ ...genuine, id: randomUUID(), metadata }, stream);
      await forger.append(at, at === stream ? 0n : 'no-stream', [event]);
      await expect(reader.readStream(at)).rejects.toThrow('carries a MAC that does not fit it');
    });

    it('of another key count where that one is accepted', async () => {
      const { stream, writer, secret, open } = world(subject());
      await writer.append(stream, 'no-stream', newEvents(1));
      const successor = open({ signingKey: randomUUID() });
      await expect(successor.reader.readStream(stream)).rejects.toThrow(
        'of a key that this process was not given',
      );
      const informed = open({ signingKey: randomUUID(), accepted: [secret] });
      expect(await revisionsIn(informed.reader, stream)).toEqual([0n]);
    });
  });

  describe('a log that is older than MACs', () => {
    it('is believed up to the position that was adopted, and not beyond', async () => {
      const { stream, writer, reader, forger } = world(subject());
      await forger.append(stream, 'no-stream', newEvents(2));
      await expect(reader.readStream(stream)).rejects.toThrow(UnprovenEvent);
      await adoptHistory(
        writer,
        { through: await headOf(writer), unproven: 2, actor: 'operator' },
        new Date(),
      );
      // A process that has read the adoptions before notices the new one within a second.
      await eventually(() =>
        revisionsIn(reader, stream)
          .then(() => true)
          .catch(() => false),
      );
      await forger.append(stream, 1n, newEvents(1));
      await expect(reader.readStream(stream)).rejects.toThrow('at revision 2');
    });

    it('is believed where events without a MAC are accepted, and one with a wrong MAC is not', async () => {
      const { stream, writer, secret, forger, open } = world(subject());
      await forger.append(stream, 'no-stream', newEvents(1));
      await writer.append(stream, 0n, newEvents(1));
      const { reader } = open({ signingKey: secret }, true);
      expect(await revisionsIn(reader, stream)).toEqual([0n, 1n]);
      await forger.append(stream, 1n, [withMac(newEvent(), 'forged')]);
      await expect(reader.readStream(stream)).rejects.toThrow('carries a MAC that does not fit it');
    });

    it('is not adopted by an event that has no MAC either, nor one of another log', async () => {
      const { stream, writer, secret, forger, open } = world(subject());
      await forger.append(stream, 'no-stream', newEvents(1));
      const through = String(await headOf(writer));
      const adopted = (log: string) => newEvent({ log, through, unproven: 1 }, { type: historyAdopted });
      await forger.append(adoptionStream, 'any', [adopted(await writer.identity())]);
      await writer.append(adoptionStream, 'any', [adopted(randomUUID())]);
      await expect(open({ signingKey: secret }).reader.readStream(stream)).rejects.toThrow(UnprovenEvent);
    });

    it('ends for an earlier key with the adoption under its successor', async () => {
      const { stream, writer, secret, open } = world(subject());
      await writer.append(stream, 'no-stream', newEvents(1));
      const secrets = { signingKey: randomUUID(), accepted: [secret] };
      const successor = open(secrets);
      const adoption = { through: await headOf(writer), unproven: 0, actor: 'operator' };
      await adoptHistory(successor.writer, adoption, new Date());
      await writer.append(stream, 0n, newEvents(1));
      expect(await revisionsIn(open(secrets).reader, stream, 1)).toEqual([0n]);
      await expect(open(secrets).reader.readStream(stream)).rejects.toThrow('had been replaced before');
    });
  });
}

type Altered = { readonly event: NewEvent; readonly at?: string };

/** One copy of an event for each part that the MAC covers, with that part changed. */
const alterations: readonly (readonly [string, (copy: NewEvent, stream: string) => Altered])[] = [
  ['under another id, at another place of the stream', (event, at) => ({ event, at })],
  ['in another stream', (event) => ({ event })],
  ['with another type', (event) => ({ event: { ...event, type: 'CreditsPurchased' } })],
  ['with other data', (event) => ({ event: { ...event, data: { amount: 1_000_000 } } })],
  ['with other metadata', (event) => ({ event: { ...event, metadata: { ...event.metadata, tenant: 'b' } } })],
  ['with a MAC that is none', (event) => ({ event: withMac(event, 'forged') })],
  ['with a MAC that is no text', (event) => ({ event: withMac(event, { mac: 1 }) })],
  [
    'with a MAC that claims to cover no revision',
    (event) => ({ event: withMac(event, String(Object(event.metadata).mac).replace('.', '~')) }),
  ],
];

function withMac(event: NewEvent, mac: unknown): NewEvent {
  return { ...event, metadata: { ...event.metadata, mac } as EventMetadata };
}

/** A log, a service with its own key, and a forger that has the store's password but no key. */
function world({ harness, store: forger }: Subject) {
  const secret = randomUUID();
  const open = (secrets: { signingKey: string; accepted?: string[] }, acceptUnproven = false) => {
    const macs = new EventMacs(secrets);
    const writer = harness.open({ macs });
    return { writer, reader: refusingUnproven(markingUnproven(writer, { macs, acceptUnproven })) };
  };
  return {
    stream: `test.conformance-${randomUUID()}`,
    secret,
    forger,
    open,
    ...open({ signingKey: secret }),
  };
}

async function revisionsIn(store: EventStore, stream: string, limit = 100): Promise<bigint[]> {
  return (await eventsIn(store, stream, { limit })).map(({ revision }) => revision);
}

async function headOf(store: EventStore): Promise<bigint> {
  return (await store.head()) ?? 0n;
}

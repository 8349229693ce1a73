import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '#event-store/event-store.js';
import { rangeSealed, sealStream } from '../../seal.events.js';
import { placeInSeal, sealedLeaf, sealOf, type Seal } from '../../seal.js';
import { newSealKey, readSealKey, type SealKey } from '../../seal.key.js';
import { sealKey } from '../support/sealing.js';

type Log = readonly RecordedEvent[];
/**
 * Alters the log as a person with the password of the log could; undefined if the log is too short for that.
 */
type Alteration = (log: Log) => Log | undefined;

const isSeal = ({ stream }: RecordedEvent) => stream === sealStream;

/** Changes one event in the middle of the sealed events. */
function middle(change: (event: RecordedEvent) => RecordedEvent[]): Alteration {
  return (log) => {
    const events = log.filter((event) => !isSeal(event));
    const chosen = events[events.length >> 1];
    return chosen && log.flatMap((event) => (event === chosen ? change(event) : [event]));
  };
}

/** Two events change their places, and keep the positions. */
const swapped: Alteration = (log) => {
  const [one, other] = log.filter((event) => !isSeal(event));
  if (!one || !other) return undefined;
  const moved = new Map([
    [one, { ...other, position: one.position }],
    [other, { ...one, position: other.position }],
  ]);
  return log.map((event) => moved.get(event) ?? event);
};

const amountRaised = middle((event) => [
  { ...event, data: { ...(event.data as { amount: number }), amount: 1_000_000 } },
]);

/** Seals all events anew, with this key. */
function sealedAgain(log: Log, key: SealKey): Log {
  const events = log.filter((event) => !isSeal(event));
  const like = log.find(isSeal);
  if (!like) return events;
  const seals: RecordedEvent[] = [];
  let seal: Seal | undefined;
  for (let from = 0; from < events.length; from += 5) {
    const range = events.slice(from, from + 5);
    const ends = { first: placeInSeal(range[0]!), last: placeInSeal(range.at(-1)!) };
    const made = sealOf(
      { ...ends, leaves: range.map(sealedLeaf) },
      { seal, source: undefined },
      { key, chain: (like.data as Seal).chain, at: new Date(0) },
    );
    seals.push({ ...like, id: randomUUID(), type: rangeSealed, data: made, revision: BigInt(seals.length) });
    seal = made;
  }
  return [...events, ...seals];
}

const altered = (log: Log) => amountRaised(log) ?? log;
const withoutSeals = (log: Log) => log.filter((event) => !isSeal(event));

/** The owner of the key can seal anything. */
export const byTheOwner = 'an altered log that was sealed again with the key itself';

/** The check must find each of these in every log that was sealed. */
export const alterations: Readonly<Record<string, Alteration>> = {
  'a million more on a purchase': amountRaised,
  'another actor': middle((event) => [{ ...event, metadata: { ...event.metadata, actor: 'key:other' } }]),
  'another time': middle((event) => [
    { ...event, metadata: { ...event.metadata, recordedAt: '2020-01-01' } },
  ]),
  'a deleted event': middle(() => []),
  'an event that comes twice': middle((event) => [event, { ...event, id: randomUUID() }]),
  'swapped positions': swapped,
  'an altered log without its last seals': (log) => {
    const seals = log.filter(isSeal);
    const cut = seals[seals.length >> 1];
    return cut && altered(log.filter((event) => !isSeal(event) || event.revision < cut.revision));
  },
  'an altered log without seals': (log) => withoutSeals(altered(log)),
  'an altered log that was sealed again with a key of their own': (log) =>
    sealedAgain(altered(log), readSealKey(newSealKey())),
  [byTheOwner]: (log) => sealedAgain(altered(log), sealKey),
};

import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { SealRangeHandler } from '#application/seals/seal-range.handler.js';
import { sealLog, type SealerOptions } from '#application/seals/sealer.js';
import { readChainEnd, sealedEvents, sealStream, type StoredSeal } from '#event-store/seals/seal.js';
import { newSealKey, readSealKey } from '#platform/seal-key.js';
import { commandBusOf } from './command-bus.js';
import { eventually } from './eventually.js';

export const sealKey = readSealKey(newSealKey());

/** What a sealer needs, on the store of a test. */
export function sealingOf(store: EventStore, more: Partial<SealerOptions> = {}): SealerOptions {
  const commands = commandBusOf([new SealRangeHandler(store)]);
  return { store, commands, key: sealKey, clock: () => new Date(), openMs: 0, ...more };
}

/** Seals the log up to its end of now, in ranges of about so many events. */
export async function sealAll(store: EventStore, more: Partial<SealerOptions> = {}): Promise<StoredSeal[]> {
  let last: RecordedEvent | undefined;
  for (let page = await store.readAll({ filter: sealedEvents, unprovenToo: true }); page.length > 0;) {
    last = page.at(-1);
    page = await store.readAll({ filter: sealedEvents, after: last!.position, unprovenToo: true });
  }
  const stopping = new AbortController();
  const ended = sealLog(sealingOf(store, more), stopping.signal).finally(() => stopping.abort());
  // It may end before it is looked at.
  ended.catch(() => undefined);
  const reached = async () => {
    const place = (await readChainEnd(store)).seal?.last;
    if (!last || !place) return !last || stopping.signal.aborted;
    const slice = await store.readStream(place.stream, { from: BigInt(place.revision), limit: 1 });
    const [event] = slice.kind === 'found' ? slice.events : [];
    return stopping.signal.aborted || (event !== undefined && event.position >= last.position);
  };
  await eventually(reached).finally(() => stopping.abort());
  await ended;
  return sealsOf(store);
}

export async function sealsOf(store: EventStore): Promise<StoredSeal[]> {
  const slice = await store.readStream(sealStream);
  return slice.kind === 'found' ? slice.events.map(({ data }) => data as StoredSeal) : [];
}

import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { ownEvents } from '#event-store/own-events.js';
import { SealRangeHandler } from '../../seal-range.handler.js';
import { sealLog, type SealerOptions } from '../../sealer.js';
import { sealStream } from '../../seal.events.js';
import { readChainEnd, type StoredSeal } from '../../seal.js';
import { newSealKey, readSealKey } from '../../seal.key.js';
import { commandBusOf } from '../../../../test/support/command-bus.js';
import { eventually } from '../../../../test/support/eventually.js';

export const sealKey = readSealKey(newSealKey());

/** The options of a sealer on the store of a test. */
export function sealingOf(store: EventStore, more: Partial<SealerOptions> = {}): SealerOptions {
  const commands = commandBusOf([new SealRangeHandler(store)]);
  return { store, commands, key: sealKey, clock: () => new Date(), openMs: 0, ...more };
}

/** Seals the log up to its present end, in ranges of about `batchSize` events. */
export async function sealAll(store: EventStore, more: Partial<SealerOptions> = {}): Promise<StoredSeal[]> {
  let last: RecordedEvent | undefined;
  for (let page = await store.readAll({ filter: ownEvents, unprovenToo: true }); page.length > 0;) {
    last = page.at(-1);
    page = await store.readAll({ filter: ownEvents, after: last!.position, unprovenToo: true });
  }
  const stopping = new AbortController();
  const ended = sealLog(sealingOf(store, more), stopping.signal).finally(() => stopping.abort());
  // It may end before its result is awaited.
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

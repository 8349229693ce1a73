import { walkLog, type Stretch, type Walk } from '../copy/walk-log.js';
import { passes, type EventStore, type RecordedEvent } from '../event-store.js';
import { sealedEvents } from '../seals/seal.js';
import { readAdopted } from './adopted-history.js';
import type { EventMacs } from './event-macs.js';

/** Events of one kind: how many, and the first few. */
export interface CountedEvents {
  readonly count: number;
  readonly first: readonly RecordedEvent[];
}

/** What a log holds beside events that are proven, or adopted already. */
export interface UnprovenEvents {
  /** Without a MAC, or with one of a key that this process was not given. */
  readonly unproven: CountedEvents;
  /** With a MAC that does not fit them: no adoption covers these. */
  readonly altered: CountedEvents;
  /** Of keys that have been replaced since the last adoption. */
  readonly earlier: CountedEvents;
}

const namedEvents = 10;

/**
 * Looks through the log for what an adoption would be about.
 * @param store opened with the key, and without accepting events that are not proven
 * @throws the signal's reason, and what the store throws
 */
export async function findUnproven(
  store: EventStore,
  macs: EventMacs,
  walk: Omit<Walk, 'unprovenToo'>,
  onStretch: (stretch: Stretch) => void = () => undefined,
): Promise<UnprovenEvents> {
  const counts = () => ({ count: 0, first: [] as RecordedEvent[] });
  const found = { unproven: counts(), altered: counts(), earlier: counts() };
  const { earlierKeys = -1n } = await readAdopted(store, macs);
  const isOurs = passes(sealedEvents);
  for await (const stretch of walkLog(store, { ...walk, unprovenToo: true })) {
    for (const event of stretch.events) {
      const verdict = isOurs(event) ? macs.verdictOn(event) : 'current';
      if (verdict === 'wrong') count(found.altered, event);
      else if (event.unproven !== undefined) count(found.unproven, event);
      else if (verdict === 'accepted' && event.position > earlierKeys) count(found.earlier, event);
    }
    onStretch(stretch);
  }
  return found;
}

function count(events: { count: number; first: RecordedEvent[] }, event: RecordedEvent): void {
  events.count += 1;
  if (events.first.length < namedEvents) events.first.push(event);
}

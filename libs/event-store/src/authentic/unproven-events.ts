import { walkLog, type Stretch, type Walk } from '../walk-log.js';
import { ownEvents } from '../own-events.js';
import { passes, type EventStore, type RecordedEvent } from '../event-store.js';
import { readAdopted } from './adopted-history.js';
import type { EventMacs } from './event-macs.js';

/** Events of one kind: how many, and the first few. */
export interface CountedEvents {
  readonly count: number;
  readonly first: readonly RecordedEvent[];
}

/** The events of a log that have no proof and that no adoption covers. */
export interface UnprovenEvents {
  /** Events without a MAC, or with a MAC of a key that this process does not have. */
  readonly unproven: CountedEvents;
  /** Events whose MAC does not fit them. An adoption never covers these. */
  readonly altered: CountedEvents;
  /** Events of keys that have been replaced since the last adoption. */
  readonly earlier: CountedEvents;
}

const namedEvents = 10;

/**
 * Finds the events that an adoption would cover.
 * @param store opened with the key, and with `acceptUnproven` off
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
  const isOurs = passes(ownEvents);
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

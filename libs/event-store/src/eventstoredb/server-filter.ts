import { eventTypeFilter, excludeSystemEvents, streamNameFilter, type Filter } from '@eventstore/db-client';
import type { EventFilter } from '../event-store.js';

/**
 * What the server leaves out. It filters by streams or by types, never by both, and by prefixes: types are left to it
 * where they are given, as they usually let less pass, and the rest is looked at again here. It tells how far it has
 * come after every 32 events that it left out, and says so through `onCheckpoint`.
 */
export function serverFilter(
  filter: EventFilter | undefined,
  onCheckpoint: (commit: bigint) => void,
): Filter {
  // An error thrown here would stall the client's stream for ever, without a word. Assignments cannot throw.
  const checkpointReached = (_: unknown, position: { commit: bigint }) =>
    onCheckpoint(BigInt(position.commit));
  const { types, streamPrefixes } = filter ?? {};
  if (usable(types)) return eventTypeFilter({ prefixes: [...types], checkpointReached });
  if (usable(streamPrefixes)) return streamNameFilter({ prefixes: [...streamPrefixes], checkpointReached });
  return excludeSystemEvents({ checkpointReached });
}

/** An empty list would be no filter to the server, and an empty prefix one that every event passes. */
function usable(prefixes: readonly string[] | undefined): prefixes is readonly string[] {
  return prefixes !== undefined && prefixes.length > 0 && !prefixes.includes('');
}

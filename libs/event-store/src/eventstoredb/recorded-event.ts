import type { AllStreamResolvedEvent, ResolvedEvent } from '@eventstore/db-client';
import type { EventFilter, EventMetadata, RecordedEvent } from '../event-store.js';

/**
 * An event of the client as the port has it.
 *
 * The position is the commit position alone. A place in the log is a commit and a prepare position; for events that were
 * appended (and not written in the long-gone explicit transactions) the two are equal, so one of them names the place.
 * The client's types promise bigint for the revision, its records hold what the wire held: `BigInt` settles it.
 */
export function toRecordedEvent({
  event,
}: ResolvedEvent | AllStreamResolvedEvent): RecordedEvent | undefined {
  if (event?.position === undefined) return undefined;
  const { id, type, data, streamId, revision, position } = event;
  return {
    id,
    type,
    data,
    // Ours were checked when they were appended; whoever else writes to this log need not attach any.
    metadata: (event.metadata ?? {}) as unknown as EventMetadata,
    stream: streamId,
    revision: BigInt(revision),
    position: BigInt(position.commit),
  };
}

/** Streams and types that begin with a dollar sign are the server's own: statistics, settings, links. */
export function isSystemEvent({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): boolean {
  return stream.startsWith('$') || type.startsWith('$');
}

/** Says of each event whether it is delivered. The server's filter lets more pass, see `serverFilter`. */
export function passes({ types, streamPrefixes }: EventFilter = {}): (event: RecordedEvent) => boolean {
  const names = types && new Set(types);
  return (event) =>
    !isSystemEvent(event) &&
    (names?.has(event.type) ?? true) &&
    (streamPrefixes?.some((prefix) => event.stream.startsWith(prefix)) ?? true);
}

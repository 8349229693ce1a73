import type { EventData, JSONEventType } from '@eventstore/db-client';
import { EventTooLarge } from '../event-store.js';
import type { SerialisedEvent } from '../serialised-event.js';

/** What a server takes at once unless it is configured otherwise (`MaxAppendSize`), all events of an append together. */
export const defaultMaxAppendBytes = 1024 * 1024;

/**
 * An append is one call, all or nothing, so one beyond the server's limit cannot be split: it is refused here, by the
 * server's own arithmetic (data, metadata, and two bytes for each character of the type).
 * @throws EventTooLarge
 */
export function refuseOversize(stream: string, events: readonly SerialisedEvent[], maxBytes: number): void {
  const bytes = events.reduce((sum, event) => sum + event.bytes + 2 * event.type.length, 0);
  if (bytes > maxBytes)
    throw new EventTooLarge(
      `The append to ${stream} has ${bytes} bytes in ${events.length} events; the server takes ${maxBytes} at once`,
    );
}

/**
 * As the client takes it. It makes the JSON of the data again; given what it refuses it would leave a promise that never
 * settles, so it only ever sees what came out of our own JSON.
 */
export function toProposed({ id, type, data, metadata }: SerialisedEvent): EventData<JSONEventType> {
  return {
    id,
    type,
    contentType: 'application/json',
    // Any JSON will do, also a number or null; the declared type has objects, arrays and strings only.
    data: JSON.parse(data) as JSONEventType['data'],
    metadata: Uint8Array.from(Buffer.from(metadata)),
  };
}

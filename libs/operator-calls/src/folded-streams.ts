import type { Aggregate } from '#application/aggregate.js';
import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import type { RecordedEvent } from '#event-store/event-store.js';

/** The folded state of each stream, by its name. @param events of one kind only */
export function foldedStreams<State, Event extends DomainEvent>(
  events: readonly RecordedEvent[],
  { initial, evolve }: Aggregate<State, Event>,
): Map<string, State> {
  const found = new Map<string, State>();
  for (const recorded of events) {
    // Safe cast: the caller passes events of one kind.
    const event = decode(recorded) as Event;
    found.set(recorded.stream, evolve(found.get(recorded.stream) ?? initial, event));
  }
  return found;
}

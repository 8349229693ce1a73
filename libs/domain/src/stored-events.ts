import { eventFamilies } from './event-families.js';
import type { StoredData, Upcast } from './event-family.js';
import type { DomainEvent, DomainEventType } from './events.js';

const upcasters = new Map<string, readonly Upcast[]>(
  eventFamilies.flatMap((family) => Object.entries(family.upcasters)),
);

// DomainEventType consists of the families' event types.
export const storedEventTypes: readonly DomainEventType[] = [...upcasters.keys()] as DomainEventType[];

export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
}

/** Thrown for an event of a newer release: an older release must stop rather than misread it. */
export class EventFromTheFuture extends Error {
  override readonly name = 'EventFromTheFuture';
}

/** The version that is written today; 1 for a type that never changed. */
export function currentSchemaVersion(type: DomainEventType): number {
  return (upcasters.get(type)?.length ?? 0) + 1;
}

/**
 * Today's form of a stored event, from any version.
 * @throws UnknownEventType, EventFromTheFuture
 */
export function decode(recorded: {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly schemaVersion: number };
}): DomainEvent {
  const steps = upcasters.get(recorded.type);
  if (!steps) throw new UnknownEventType(`event type ${recorded.type} is not known to this release`);
  const { schemaVersion } = recorded.metadata;
  if (schemaVersion > steps.length + 1) {
    throw new EventFromTheFuture(
      `${recorded.type} is stored in version ${schemaVersion}; this release reads up to ${steps.length + 1}`,
    );
  }
  // Safe cast: the data of every event ever stored is an object.
  let data = recorded.data as StoredData;
  for (let version = schemaVersion; version <= steps.length; version++)
    data = steps[version - 1]?.(data) ?? data;
  // Safe cast: the golden files prove for each version that the steps lead to today's type.
  return { type: recorded.type, data } as unknown as DomainEvent;
}

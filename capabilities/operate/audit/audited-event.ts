import { eventFamilies } from '#domain/event-families.js';
import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName, type Environment, type StreamCategory } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';

/** Where an event stands, and the tenant that it names. */
export interface EventOrigin {
  readonly stream: string;
  readonly environment: Environment;
  readonly category: StreamCategory;
  /** The stream name's last part. */
  readonly streamId: string;
  /** A revision fits into the 53 bits of a number for as long as a stream can live. */
  readonly revision: number;
  readonly position: bigint;
  /** The tenant in its metadata. */
  readonly tenant: string;
  /** The event as the log has it. */
  readonly recorded: RecordedEvent;
}

/** A stored event in today's form, and its place. */
export type AuditedEvent = Placed<DomainEvent>;

/** Events of some types, and their place. */
export type Placed<Event> = Event & EventOrigin;

/**
 * The place of an event, known even if the event cannot be read. Undefined for a stream that the service does not
 * write.
 */
export function placeOf(recorded: RecordedEvent): EventOrigin | undefined {
  const name = parseStreamName(recorded.stream);
  if (!name) return undefined;
  const { stream, revision, position, metadata } = recorded;
  const { environment, category, id: streamId } = name;
  const tenant = String(metadata?.tenant);
  return { stream, environment, category, streamId, revision: Number(revision), position, tenant, recorded };
}

/** @throws UnknownEventType, EventFromTheFuture */
export function auditedEvent(place: EventOrigin): AuditedEvent {
  return { ...place, ...decode(place.recorded) };
}

const familyOf = new Map(eventFamilies.map((family) => [family.category, family]));

/** Whether streams of the category belong to a tenant; the others are the installation's. */
export function belongsToTenant(category: StreamCategory): boolean {
  return familyOf.get(category)?.owner !== 'installation';
}

/** Whether streams of the category are named by their tenant. */
export function streamIsOfTenant(category: StreamCategory): boolean {
  return familyOf.get(category)?.owner === 'named-tenant';
}

/** The category of streams that events of each type live in. */
export const categoryOfType: ReadonlyMap<string, string> = new Map(
  eventFamilies.flatMap(({ category, upcasters }) => Object.keys(upcasters).map((type) => [type, category])),
);

/** The tenant that an event's data names, if it names one. */
export function ownerIn({ data }: AuditedEvent): string | undefined {
  return 'tenant' in data ? data.tenant : undefined;
}

/** The field of each type's data that repeats the id of its stream. */
const idFieldOfType = new Map<string, string | undefined>(
  eventFamilies.flatMap(({ idFields }) => Object.entries(idFields)),
);

/** The id in the event's data that repeats the id of its stream, if its type has one. */
export function idIn({ type, data }: AuditedEvent): string | undefined {
  const field = idFieldOfType.get(type);
  // A family's fields are typed as fields of its events.
  return field === undefined ? undefined : (data as Readonly<Record<string, string>>)[field];
}

/**
 * Selects the events for an audit of one tenant: those of the tenant's streams, even if their metadata names
 * another tenant.
 */
export class TenantFilter {
  private readonly streams = new Set<string>();

  constructor(private readonly tenant: string | undefined) {}

  /** Call it for every event of the log, in order. */
  concerns({ stream, category, streamId, tenant, recorded }: EventOrigin): boolean {
    if (this.tenant === undefined) return true;
    if (!belongsToTenant(category)) return false;
    if (streamIsOfTenant(category)) return streamId === this.tenant;
    if (this.streams.has(stream)) return true;
    // The data may be of any event, even an unreadable one, so it may lack a tenant.
    const owner = (recorded.data as { tenant?: unknown } | null)?.tenant ?? tenant;
    if (owner !== this.tenant) return false;
    this.streams.add(stream);
    return true;
  }
}

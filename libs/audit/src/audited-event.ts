import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName, type Environment, type StreamCategory } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';

/** Where an event stands, and whose it says it is. */
export interface EventPlace {
  readonly stream: string;
  readonly environment: Environment;
  readonly category: StreamCategory;
  /** The stream name's last part. */
  readonly streamId: string;
  /** Within the 53 bits of a number for as long as a stream can live. */
  readonly revision: number;
  readonly position: bigint;
  /** As its metadata says. */
  readonly tenant: string;
}

/** A stored event in today's form, and its place. */
export type AuditedEvent = DomainEvent & EventPlace;

/** The place alone, which is known even of an event that cannot be read. Undefined for a stream that is none of ours. */
export function placeOf(recorded: RecordedEvent): EventPlace | undefined {
  const name = parseStreamName(recorded.stream);
  if (!name) return undefined;
  const { stream, revision, position, metadata } = recorded;
  const { environment, category, id: streamId } = name;
  const tenant = String(metadata?.tenant);
  return { stream, environment, category, streamId, revision: Number(revision), position, tenant };
}

/** @throws UnknownEventType, EventFromTheFuture */
export function auditedEvent(recorded: RecordedEvent, place: EventPlace): AuditedEvent {
  return Object.assign(decode(recorded), place);
}

/** The categories of streams that belong to a tenant; the others are the installation's. */
export function belongsToTenant(category: StreamCategory): boolean {
  return category !== 'preset' && category !== 'operation';
}

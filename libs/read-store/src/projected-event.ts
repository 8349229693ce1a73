import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { parseStreamName, type StreamCategory } from '#domain/streams.js';
import { UnprovenEvent, type EventMetadata, type RecordedEvent } from '#event-store/event-store.js';
import { asError } from './consumer-errors.js';

/** The place of an event in the log, and its metadata. */
export interface EventPlace {
  readonly eventId: string;
  /** The whole stream name, for example `live.job-01J…`. */
  readonly stream: string;
  readonly category: StreamCategory;
  /** The last part of the stream's name: the tenant of an account stream, the job of a job stream. */
  readonly streamId: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly metadata: EventMetadata;
}

/** A domain event with its place. Events of older versions are converted to the current form. */
export type ProjectedEvent = DomainEvent & EventPlace;

/** @throws UnknownEventType, EventFromTheFuture; an Error for a stream that this service does not write */
export function toProjectedEvent(recorded: RecordedEvent): ProjectedEvent {
  const name = parseStreamName(recorded.stream);
  if (!name) throw new Error(`${recorded.stream} is not a stream of this service`);
  return placed(recorded, name);
}

function placed(recorded: RecordedEvent, { category, id: streamId }: StreamNameParts): ProjectedEvent {
  const { id: eventId, stream, revision, position, metadata } = recorded;
  return { ...decode(recorded), eventId, stream, category, streamId, revision, position, metadata };
}

type StreamNameParts = Pick<NonNullable<ReturnType<typeof parseStreamName>>, 'category' | 'id'>;

/** An event of a batch, decoded; or why it could not be. */
export interface EventDelivery {
  readonly recorded: RecordedEvent;
  readonly category: StreamCategory;
  readonly event: ProjectedEvent | undefined;
  readonly error: Error | undefined;
}

/** Undefined for a stream that is not ours, because no read model shows it. */
export function deliver(recorded: RecordedEvent): EventDelivery | undefined {
  const name = parseStreamName(recorded.stream);
  if (!name) return undefined;
  const { category } = name;
  // No read model shows its content. It is parked with its stream only, like an event that cannot be folded.
  if (recorded.unproven !== undefined)
    return { recorded, category, event: undefined, error: new UnprovenEvent(recorded) };
  try {
    return { recorded, category, event: placed(recorded, name), error: undefined };
  } catch (error) {
    return { recorded, category, event: undefined, error: asError(error) };
  }
}

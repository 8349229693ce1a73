import type { DomainEvent } from '#domain/events.js';
import type { EventMetadata } from '#event-store/event-store.js';

/** An event as a process gets it: in today's form, with the last part of its stream's name. */
export type DeliveredEvent = DomainEvent & {
  /** The tenant of an account stream, the job of a job stream. */
  readonly streamId: string;
  readonly metadata: EventMetadata;
};

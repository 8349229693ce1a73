import { parseStreamName, type StreamCategory } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { asError } from './consumer-errors.js';
import { toProjectedEvent, type ProjectedEvent } from './projected-event.js';

/** An event of a batch, decoded; or why it could not be. */
export interface Delivery {
  readonly recorded: RecordedEvent;
  readonly category: StreamCategory;
  readonly event: ProjectedEvent | undefined;
  readonly error: Error | undefined;
}

/** Undefined for a stream that is none of ours: nothing shows it. */
export function deliver(recorded: RecordedEvent): Delivery | undefined {
  const category = parseStreamName(recorded.stream)?.category;
  if (!category) return undefined;
  try {
    return { recorded, category, event: toProjectedEvent(recorded), error: undefined };
  } catch (error) {
    return { recorded, category, event: undefined, error: asError(error) };
  }
}

import { copyEvents, type CopyResult } from '#capabilities/operate/copy/copy-events.js';
import type { EventStore } from '#event-store/event-store.js';

/** Copies the history of one store into another, like `atelier events copy`. */
export function copyLog(source: EventStore, target: EventStore): Promise<CopyResult> {
  return copyEvents({ source, target, signal: new AbortController().signal });
}

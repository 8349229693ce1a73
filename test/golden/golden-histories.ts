import { globSync, readFileSync } from 'node:fs';
import type { StreamCategory } from '#domain/streams.js';
import type { EventMetadata } from '#event-store/event-store.js';

export interface GoldenHistory {
  readonly category: StreamCategory;
  readonly stream: string;
  readonly events: readonly {
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly metadata: EventMetadata;
  }[];
  /** The state that the events fold to. */
  readonly state: unknown;
}

/** The histories of all events as they were once stored. A capability keeps those of its own events. */
export const goldenHistories = globSync('{test/golden,capabilities/*/test}/histories/*.json')
  .toSorted()
  .map((file) => ({ file, history: JSON.parse(readFileSync(file, 'utf8')) as GoldenHistory }));

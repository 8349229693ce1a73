import {
  DuplicateEventId,
  type AppendOutcome,
  type ExpectedRevision,
  type RecordedEvent,
} from '../event-store.js';
import type { SerialisedEvent } from '../serialised-event.js';

export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly SerialisedEvent[];
}

/** Where the events of an append would begin. */
export function firstRevision(expected: bigint | 'no-stream'): bigint {
  return expected === 'no-stream' ? 0n : expected + 1n;
}

/**
 * The verdict on an append that the server refused, given the events that lie where it would have put its own. The server
 * has one answer for two cases: the stream moved on, or it holds a part of these very events (or all of them, in another
 * order), so that two different appends share ids.
 */
export function judgeRefused(
  append: Append,
  actual: bigint | 'no-stream',
  there: readonly RecordedEvent[],
): AppendOutcome | DuplicateEventId {
  const replay = findReplay(append, there);
  if (replay) return replay;
  const ids = new Set(there.map(({ id }) => id.toLowerCase()));
  if (append.expected !== 'any' && !append.events.some(({ id }) => ids.has(id)))
    return { outcome: 'wrong-expected-revision', actual };
  return new DuplicateEventId(
    `An append to ${append.stream} reuses ids of events that are in the log already: ${append.events.map(({ id }) => id).join(', ')}`,
  );
}

/** The outcome of the append if it was made before, with all its events in order, among the given ones. */
export function findReplay(
  { expected, events }: Append,
  there: readonly RecordedEvent[],
): AppendOutcome | undefined {
  const at = there.findIndex(({ id }) => id.toLowerCase() === events[0]!.id);
  const found = at < 0 ? [] : there.slice(at, at + events.length);
  if (found.length < events.length || found.some(({ id }, n) => id.toLowerCase() !== events[n]!.id))
    return undefined;
  if (expected !== 'any' && found[0]!.revision !== firstRevision(expected)) return undefined;
  const { revision, position } = found.at(-1)!;
  return { outcome: 'appended', revision, position, replayed: true };
}

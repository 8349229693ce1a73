import {
  START,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type ResolvedEvent,
  eventTypeFilter,
  excludeSystemEvents,
  streamNameFilter,
  type Filter,
} from '@eventstore/db-client';
import { NoAnswer, Wakeup } from '../calls.js';
import { passes, type EventFilter, type EventMetadata, type RecordedEvent } from '../event-store.js';
import type { GuardedClient } from './connection.js';

/**
 * How many events, each of up to 1 MiB, may wait in the client's buffer and in ours. When the buffers are
 * full, the server has to wait.
 */
const bufferedEvents = 32;

export interface FeedOptions {
  /** Exclusive. Absent: from the beginning. */
  readonly after: bigint | undefined;
  readonly filter: EventFilter | undefined;
  /** A place that the log had reached before this was made. */
  readonly reached?: bigint | undefined;
}

/**
 * One subscription of the client, until it fails: first the past, then `live`. Its consumer pulls. A failed
 * feed stays failed. To go on, the consumer makes another feed after `position`.
 */
export class Feed {
  /** The consumer has read all events that pass the filter up to here. */
  position: bigint;
  live = false;
  failure: Error | undefined;
  private readonly subscription: AllStreamSubscription;
  private readonly passes: (event: RecordedEvent) => boolean;
  /** The server has sent all events up to here; some may still wait in the buffer. */
  private checkpoint: bigint;
  readonly changes = new Wakeup();

  constructor(client: GuardedClient, { after = 0n, filter, reached = 0n }: FeedOptions) {
    this.position = after;
    this.checkpoint = after;
    // The server's filter lets more pass, see `serverFilter`.
    const wanted = passes(filter);
    this.passes = (event) => !isNoneOfOurs(event) && wanted(event);
    const moved = (to: bigint) => this.changed(() => this.pass(to));
    this.subscription = client.subscribeToAll(
      {
        // Commit and prepare position are equal for appended events, and the server compares the pair.
        fromPosition: after === 0n ? START : { commit: after, prepare: after },
        filter: serverFilter(filter, moved),
        requiresLeader: true,
      },
      { highWaterMark: bufferedEvents },
    );
    // When the server reports that it caught up, it has sent all events from before the subscription began.
    this.subscription.on('caughtUp', () => this.changed(() => ((this.live = true), this.pass(reached))));
    this.subscription.on('fellBehind', () => this.changed(() => (this.live = false)));
    this.subscription.on('readable', () => this.changed());
    // After an error, no further signal may come. An end without an error is a failure too.
    this.subscription.on('error', (error) => this.fail(error));
    this.subscription.on('end', () => this.fail(new NoAnswer('the server ended the subscription')));
    this.subscription.on('close', () => this.fail(new NoAnswer('the subscription was closed')));
  }

  /** The next event that has arrived and passes the filter, or undefined if there is none yet. */
  read(): RecordedEvent | undefined {
    for (;;) {
      // The stream is untyped; a subscription to the whole log yields these.
      const resolved = this.subscription.read() as AllStreamResolvedEvent | null;
      if (resolved === null) {
        if (this.checkpoint > this.position) this.position = this.checkpoint;
        return undefined;
      }
      const event = toRecordedEvent(resolved);
      if (event === undefined) continue;
      this.position = event.position;
      if (this.passes(event)) return event;
    }
  }

  /** Whether the log's end was reached and all of it read. */
  get caughtUp(): boolean {
    return this.live && this.subscription.readableLength === 0;
  }

  /** Moves the position, past events that are known not to pass. */
  pass(to: bigint): void {
    if (to > this.checkpoint) this.checkpoint = to;
  }

  /** Cancels the call on the server, which would run on if only the stream were dropped. */
  close(): void {
    this.failure ??= new NoAnswer('the subscription was left');
    this.subscription.unsubscribe().catch(() => undefined);
  }

  private fail(error: Error): void {
    this.changed(() => (this.failure ??= error));
  }

  private changed(change: () => void = () => undefined): void {
    change();
    this.changes.wake();
  }
}

/**
 * Converts an event of the client into an event of the port.
 *
 * In EventStoreDB, a place in the log is a commit and a prepare position. For appended events the two are
 * equal, so the commit position alone is the port's position. They differed only in explicit transactions,
 * which the server no longer has. The client's types promise a bigint revision, but its records hold the
 * value of the wire, hence `BigInt`.
 */
export function toRecordedEvent({
  event,
}: ResolvedEvent | AllStreamResolvedEvent): RecordedEvent | undefined {
  if (event?.position === undefined) return undefined;
  const { id, type, data, streamId, revision, position } = event;
  return {
    id,
    type,
    data,
    // Our events were checked when they were appended. Events of other writers may lack metadata.
    metadata: (event.metadata ?? {}) as unknown as EventMetadata,
    stream: streamId,
    revision: BigInt(revision),
    position: BigInt(position.commit),
  };
}

/**
 * The stream that holds the name of a log in EventStoreDB. It is not delivered and not copied: every log
 * makes its own name.
 */
export const identityStream = 'atelier-log-identity';

/** Streams and types that begin with a dollar sign are the server's own: statistics, settings, links. */
export function isNoneOfOurs({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): boolean {
  return stream.startsWith('$') || type.startsWith('$') || stream === identityStream;
}

/**
 * The server sends this instead of a position when it has caught up and has sent neither an event nor a
 * checkpoint.
 */
const noPlace = 2n ** 64n - 1n;

/**
 * The filter that the server applies. The server filters by prefixes of streams or of types, never by both.
 * If types are given, it filters by types, which usually let fewer events pass; `Feed` checks the rest. Each
 * time the filter has left out 32 events, the server reports its position to `onCheckpoint`.
 */
export function serverFilter(
  filter: EventFilter | undefined,
  onCheckpoint: (commit: bigint) => void,
): Filter {
  // An error thrown here would silently stall the client's stream for ever. Assignments cannot throw.
  const checkpointReached = (_: unknown, { commit }: { commit: bigint }) => {
    if (commit !== noPlace) onCheckpoint(commit);
  };
  const { types, streamPrefixes } = filter ?? {};
  if (usable(types)) return eventTypeFilter({ prefixes: [...types], checkpointReached });
  if (usable(streamPrefixes)) return streamNameFilter({ prefixes: [...streamPrefixes], checkpointReached });
  return excludeSystemEvents({ checkpointReached });
}

/** For the server, an empty list means no filter. Every event passes an empty prefix. */
function usable(prefixes: readonly string[] | undefined): prefixes is readonly string[] {
  return prefixes !== undefined && prefixes.length > 0 && !prefixes.includes('');
}

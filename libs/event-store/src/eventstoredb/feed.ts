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
import { NoAnswer } from '../calls.js';
import { passes, type EventFilter, type EventMetadata, type RecordedEvent } from '../event-store.js';
import type { GuardedClient } from './connection.js';

/**
 * Events that may wait on each side of the client for the consumer, each of up to 1 MiB. With full buffers the server has
 * to wait, through all layers.
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
 * One subscription of the client, until it fails: first the past, then `live`. It is pulled from. Once it has failed, for
 * whatever reason, it stays so: a consumer that goes on makes another one after `position`.
 */
export class Feed {
  /** Everything that passes the filter up to here has been read from this feed. */
  position: bigint;
  live = false;
  failure: Error | undefined;
  private readonly subscription: AllStreamSubscription;
  private readonly passes: (event: RecordedEvent) => boolean;
  /** The server said that it has sent everything up to here; some of it may still wait in the buffer. */
  private checkpoint: bigint;
  private wake: () => void = () => undefined;

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
    // What was in the log before the subscription began has been sent when the server says that it caught up.
    this.subscription.on('caughtUp', () => this.changed(() => ((this.live = true), this.pass(reached))));
    this.subscription.on('fellBehind', () => this.changed(() => (this.live = false)));
    this.subscription.on('readable', () => this.changed());
    // An error need not be followed by anything, and an end without one is a failure too.
    this.subscription.on('error', (error) => this.fail(error));
    this.subscription.on('end', () => this.fail(new NoAnswer('the server ended the subscription')));
    this.subscription.on('close', () => this.fail(new NoAnswer('the subscription was closed')));
  }

  /** The next event that has arrived and passes, or undefined when none is here now. */
  read(): RecordedEvent | undefined {
    for (;;) {
      // The stream is untyped; a subscription to the whole log has these in it.
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

  /** Resolves with true as soon as anything changes, with false when nothing does within the time. */
  change(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (changed: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.wake = () => undefined;
        resolve(changed);
      };
      const aborted = () => done(true);
      const timer = setTimeout(() => done(false), timeoutMs);
      this.wake = () => done(true);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted) done(true);
    });
  }

  /** Leaving the stream alone would leave the call running on the server. */
  close(): void {
    this.failure ??= new NoAnswer('the subscription was left');
    this.subscription.unsubscribe().catch(() => undefined);
  }

  private fail(error: Error): void {
    this.changed(() => (this.failure ??= error));
  }

  private changed(change: () => void = () => undefined): void {
    change();
    this.wake();
  }
}

/**
 * An event of the client as the port has it.
 *
 * The position is the commit position alone. A place in the log is a commit and a prepare position; for events that were
 * appended (and not written in the long-gone explicit transactions) the two are equal, so one of them names the place.
 * The client's types promise bigint for the revision, its records hold what the wire held: `BigInt` settles it.
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
    // Ours were checked when they were appended; events of other writers to this log may have none.
    metadata: (event.metadata ?? {}) as unknown as EventMetadata,
    stream: streamId,
    revision: BigInt(revision),
    position: BigInt(position.commit),
  };
}

/** Where a log in EventStoreDB has its name. Not delivered and not copied: every log gives itself its own. */
export const identityStream = 'atelier-log-identity';

/** Streams and types that begin with a dollar sign are the server's own: statistics, settings, links. */
export function isNoneOfOurs({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): boolean {
  return stream.startsWith('$') || type.startsWith('$') || stream === identityStream;
}

/** What the server says instead of a place, at the end of a past from which it has sent neither an event nor a checkpoint. */
const noPlace = 2n ** 64n - 1n;

/**
 * What the server leaves out. It filters by streams or by types, never by both, and by prefixes: types are left to it
 * where they are given, as they usually let less pass, and the rest is looked at again here. It tells how far it has
 * come after every 32 events that it left out, and says so through `onCheckpoint`.
 */
export function serverFilter(
  filter: EventFilter | undefined,
  onCheckpoint: (commit: bigint) => void,
): Filter {
  // An error thrown here would stall the client's stream for ever, without a word. Assignments cannot throw.
  const checkpointReached = (_: unknown, { commit }: { commit: bigint }) => {
    if (commit !== noPlace) onCheckpoint(commit);
  };
  const { types, streamPrefixes } = filter ?? {};
  if (usable(types)) return eventTypeFilter({ prefixes: [...types], checkpointReached });
  if (usable(streamPrefixes)) return streamNameFilter({ prefixes: [...streamPrefixes], checkpointReached });
  return excludeSystemEvents({ checkpointReached });
}

/** An empty list would be no filter to the server, and an empty prefix one that every event passes. */
function usable(prefixes: readonly string[] | undefined): prefixes is readonly string[] {
  return prefixes !== undefined && prefixes.length > 0 && !prefixes.includes('');
}

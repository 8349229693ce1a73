import { START, type AllStreamResolvedEvent, type AllStreamSubscription } from '@eventstore/db-client';
import type { EventFilter, RecordedEvent } from '../event-store.js';
import type { Client } from './client.js';
import { NoAnswer } from './failures.js';
import { passes, toRecordedEvent } from './recorded-event.js';
import { serverFilter } from './server-filter.js';

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
 * whatever reason, it stays so: whoever wants to go on makes another one after `position`.
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

  constructor(client: Client, { after = 0n, filter, reached = 0n }: FeedOptions) {
    this.position = after;
    this.checkpoint = after;
    this.passes = passes(filter);
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

import { defaultBatchSize, defaultPatienceMs, orAborted } from './calls.js';
import {
  passes,
  storeWith,
  type EventFilter,
  type EventStore,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from './event-store.js';

export interface SharedOptions extends WindowLimits {
  /** The patience of subscribers that do not say how patient they are. Default: that of the port. */
  readonly patienceMs?: (() => number) | undefined;
}

/** Limits of a window. A subscription that was too slow for it reads the log again. */
export interface WindowLimits {
  /** Default 8,192. */
  readonly maxEvents?: number;
  /** Size of the events' data as JSON. Default 16 MiB. */
  readonly maxBytes?: number;
}

/**
 * The same store, but all subscribers of this process share one live subscription. So a wake-up costs one read
 * of the log, however many subscribers there are. A subscriber catches up with its own pages. At the end of the
 * log it joins a window of recent events in memory, which the shared subscription fills. If it falls behind the
 * window, it reads pages again until it reaches the window.
 */
export function withSharedSubscriptions(store: EventStore, options: SharedOptions = {}): EventStore {
  const shared = new SharedSubscriptions(store, options);
  return storeWith(store, { subscribe: (options) => shared.subscribe(options) });
}

/** The subscriptions of one store, shared as in {@link withSharedSubscriptions}. */
export class SharedSubscriptions {
  /** How patient each subscriber is. */
  private readonly subscribers = new Set<() => number>();
  private window: LogWindow | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly options: SharedOptions,
  ) {}

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionBatch, void, void> {
    const { signal, filter = {} } = options;
    // An object of its own, also where several share a function.
    const patienceMs = () => (options.patienceMs ?? this.options.patienceMs ?? defaultPatienceMs)();
    this.subscribers.add(patienceMs);
    try {
      let position = options.after ?? 0n;
      let joined: LogWindow | undefined;
      while (!signal.aborted) {
        if (joined?.holds(position)) {
          for await (const batch of joined.follow(position, options)) {
            ({ position } = batch);
            yield batch;
          }
          joined = undefined;
          continue;
        }
        for await (const batch of this.store.subscribe({ ...options, patienceMs, after: position })) {
          ({ position } = batch);
          yield batch;
          joined = batch.caughtUp ? this.windowAt(position, filter) : undefined;
          if (joined) break;
        }
        // The store was closed.
        if (!joined) return;
      }
    } finally {
      this.subscribers.delete(patienceMs);
      if (this.subscribers.size === 0) this.leave();
    }
  }

  /**
   * The window, if it holds or will hold all events after the position that pass the filter. A window that
   * lacks some of the types is replaced by a new one.
   */
  private windowAt(position: bigint, filter: EventFilter): LogWindow | undefined {
    const { window } = this;
    if (window && !window.ended && covers(window.types, filter.types)) {
      return window.holds(position) ? window : undefined;
    }
    this.leave();
    const types = window ? union(window.types, filter.types) : filter.types;
    return (this.window = new LogWindow(this.store, position, types, this.patienceMs, this.options));
  }

  /** The least patient one decides. */
  private readonly patienceMs = () => Math.min(...[...this.subscribers].map((ask) => ask()));

  private leave(): void {
    this.window?.end();
    this.window = undefined;
  }
}

type Types = EventFilter['types'];

function covers(types: Types, wanted: Types): boolean {
  return types === undefined || (wanted?.every((type) => types.includes(type)) ?? false);
}

function union(one: Types, other: Types): Types {
  return one && other ? [...new Set([...one, ...other])] : undefined;
}

/**
 * The last events of the log that have these types. One subscription fills the window, and the window ends with
 * it.
 */
class LogWindow {
  ended = false;
  private readonly ending = new AbortController();
  private events: RecordedEvent[] = [];
  private sizes: number[] = [];
  private bytes = 0;
  /** All events of these types after `from`, up to and including `to`, are in the window. */
  private to: bigint;
  private caughtUp = true;
  private growth = Promise.withResolvers<void>();

  constructor(
    store: EventStore,
    private from: bigint,
    readonly types: Types,
    patienceMs: () => number,
    private readonly limits: WindowLimits,
  ) {
    this.to = from;
    // The followers go back to their own pages, whose reads report the error.
    void this.fill(store, patienceMs)
      .catch(() => undefined)
      .finally(() => this.end());
  }

  holds(position: bigint): boolean {
    return !this.ended && position >= this.from;
  }

  end(): void {
    this.ended = true;
    this.ending.abort();
    this.growth.resolve();
  }

  /** Returns when the position has fallen out of the window, or the window has ended. */
  async *follow(
    after: bigint,
    { filter, batchSize = defaultBatchSize, signal }: SubscribeOptions,
  ): AsyncGenerator<SubscriptionBatch, void, void> {
    const wanted = passes(filter);
    let position = after;
    let toldCaughtUp = false;
    while (this.holds(position) && !signal.aborted) {
      const batch = this.after(position, wanted, batchSize);
      if (batch.position > position || (batch.caughtUp && !toldCaughtUp)) {
        ({ position } = batch);
        toldCaughtUp = batch.caughtUp;
        yield batch;
      } else await orAborted(this.growth.promise, signal);
    }
  }

  private after(
    position: bigint,
    wanted: (event: RecordedEvent) => boolean,
    limit: number,
  ): SubscriptionBatch {
    const events: RecordedEvent[] = [];
    for (let index = this.placeAfter(position); index < this.events.length; index++) {
      // Indices of this class stay within the arrays.
      const event = this.events[index]!;
      if (!wanted(event)) continue;
      if (events.length === limit) return { events, position: events.at(-1)!.position, caughtUp: false };
      events.push(event);
    }
    // A subscriber that got further by its own pages waits until the window has caught up.
    const reached = position > this.to ? position : this.to;
    return { events, position: reached, caughtUp: this.caughtUp && reached === this.to };
  }

  /** The place of the first event after the position, by binary search. */
  private placeAfter(position: bigint): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      // Between the ends of the array.
      if (this.events[middle]!.position > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private async fill(store: EventStore, patienceMs: () => number): Promise<void> {
    const filter = this.types && { types: this.types };
    const { signal } = this.ending;
    const options = { after: this.from, signal, patienceMs, ...(filter && { filter }) };
    for await (const { events, position, caughtUp } of store.subscribe(options)) {
      for (const event of events) this.push(event);
      this.forget();
      this.to = position;
      this.caughtUp = caughtUp;
      this.growth.resolve();
      this.growth = Promise.withResolvers();
    }
  }

  private push(event: RecordedEvent): void {
    const size = JSON.stringify(event.data).length;
    this.events.push(event);
    this.sizes.push(size);
    this.bytes += size;
  }

  /** Drops the older half at once, so that on average each event is moved only once. */
  private forget(): void {
    const { maxEvents = 8_192, maxBytes = 16 * 1024 * 1024 } = this.limits;
    if (this.events.length <= maxEvents && this.bytes <= maxBytes) return;
    let kept = this.events.length;
    let bytes = 0;
    while (kept > 0 && this.events.length - kept < maxEvents / 2 && bytes < maxBytes / 2) {
      kept -= 1;
      // One for each event.
      bytes += this.sizes[kept]!;
    }
    this.from = this.events[kept - 1]?.position ?? this.from;
    this.events = this.events.slice(kept);
    this.sizes = this.sizes.slice(kept);
    this.bytes = bytes;
  }
}

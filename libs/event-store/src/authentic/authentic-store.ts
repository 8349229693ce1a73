import {
  passes,
  storeWith,
  UnprovenEvent,
  type EventStore,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.js';
import { ownEvents } from '../own-events.js';
import type { EventStoreObserver } from '../observer.js';
import { objectionTo, readAdopted, type Adopted } from './adopted-history.js';
import type { EventMacs } from './event-macs.js';

export interface AuthenticStoreOptions {
  readonly macs: EventMacs;
  /** Accepts events without a MAC at any position. Needed while an older release still writes. */
  readonly acceptUnproven?: boolean;
  readonly observer?: EventStoreObserver;
}

/** Running processes notice a new adoption within this time. */
const adoptedForMs = 1_000;

/**
 * Returns the same store, but it marks each event of the service's own streams that lacks proof. It checks
 * every event that it reads. So put it below the shared subscriptions, which give one event to several
 * readers.
 */
export function markingUnproven(store: EventStore, options: AuthenticStoreOptions): EventStore {
  const check = new AuthenticityCheck(store, options);
  return storeWith(store, {
    async readStream(stream, given) {
      const slice = await store.readStream(stream, given);
      return slice.kind === 'found' ? { kind: 'found', events: await check.marked(slice.events) } : slice;
    },
    readAll: async (given) => check.marked(await store.readAll(given)),
    lastEvent: async (through) => {
      const event = await store.lastEvent(through);
      return event && (await check.marked([event]))[0];
    },
    async *subscribe(given) {
      for await (const batch of store.subscribe(given))
        yield { ...batch, events: await check.marked(batch.events) };
    },
  });
}

/**
 * Returns the same store, but only callers that set `unprovenToo` get marked events. All other calls fail at
 * a marked event.
 */
export function refusingUnproven(store: EventStore): EventStore {
  return storeWith(store, {
    async readStream(stream, options) {
      const slice = await store.readStream(stream, options);
      if (slice.kind === 'found') refuseUnproven(slice.events, options);
      return slice;
    },
    async readAll(options) {
      const events = await store.readAll(options);
      refuseUnproven(events, options);
      return events;
    },
    // Most subscribers want marked events. They get the store's own subscription, without a generator in
    // between.
    subscribe: (options) => (options.unprovenToo ? store.subscribe(options) : provenOnly(store, options)),
  });
}

async function* provenOnly(
  store: EventStore,
  options: SubscribeOptions,
): AsyncGenerator<SubscriptionBatch, void, void> {
  for await (const batch of store.subscribe(options)) {
    refuseUnproven(batch.events, options);
    yield batch;
  }
}

function refuseUnproven(events: readonly RecordedEvent[], options: { unprovenToo?: boolean } = {}): void {
  if (options.unprovenToo) return;
  const forged = events.find(({ unproven }) => unproven !== undefined);
  if (forged) throw new UnprovenEvent(forged);
}

class AuthenticityCheck {
  private readonly isOurs = passes(ownEvents);
  private adopted: { readonly value: Adopted; readonly readAt: number } | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly options: AuthenticStoreOptions,
  ) {}

  /** Returns the array itself when no event is unproven. */
  async marked(events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    const objections = new Map<RecordedEvent, string>();
    for (const event of events) {
      if (!this.isOurs(event)) continue;
      const verdict = this.options.macs.verdictOn(event);
      if (verdict === 'current' || (verdict === 'none' && this.options.acceptUnproven)) continue;
      const objection = objectionTo(verdict, event.position, await this.adoptedAt(event.position));
      if (objection !== undefined) objections.set(event, objection);
    }
    if (objections.size === 0) return events;
    return events.map((event) => {
      const unproven = objections.get(event);
      if (unproven === undefined) return event;
      const marked = { ...event, unproven };
      this.options.observer?.unprovenEvent?.(marked);
      return marked;
    });
  }

  /** Adopted positions only grow, so an old answer stays valid for every position that it covers. */
  private async adoptedAt(position: bigint): Promise<Adopted> {
    const { adopted } = this;
    const isEnough = adopted && position <= adopted.value.withoutProof;
    if (adopted && (isEnough || performance.now() - adopted.readAt < adoptedForMs)) return adopted.value;
    const value = await readAdopted(this.store, this.options.macs);
    this.adopted = { value, readAt: performance.now() };
    return value;
  }
}

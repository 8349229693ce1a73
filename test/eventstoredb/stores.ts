import {
  EventStoreDbEventStore,
  type EventStoreDbEventStoreOptions,
} from '#event-store/eventstoredb/eventstoredb-event-store.js';
import type { EventStore } from '#event-store/event-store.js';
import type { EventStoreObserver } from '#event-store/observer.js';
import { Peer } from './peer/peer.js';
import type { PeerLog } from './peer/peer-log.js';

type StoreOptions = Omit<EventStoreDbEventStoreOptions, 'connectionString'>;

/** The peers and stores of one test file; all are closed after each test. */
export class Stores {
  private readonly peers: Peer[] = [];
  private readonly stores: EventStore[] = [];

  async peer(log?: PeerLog): Promise<Peer> {
    const peer = await new Peer(log).start();
    this.peers.push(peer);
    return peer;
  }

  open(peer: Peer | string, options: StoreOptions = {}): EventStore {
    const connectionString = typeof peer === 'string' ? peer : peer.url;
    const store = new EventStoreDbEventStore({ connectionString, ...options });
    this.stores.push(store);
    return store;
  }

  /** A peer with a store on it. */
  async started(options: StoreOptions = {}): Promise<{ peer: Peer; store: EventStore }> {
    const peer = await this.peer();
    return { peer, store: this.open(peer, options) };
  }

  /** Stores close first: a store waits for its appends, and a stopped peer would only delay it. */
  async close(): Promise<void> {
    for (const { faults } of this.peers) Object.assign(faults, { silent: false, slowMs: 0 });
    await Promise.all(this.stores.splice(0).map((store) => store.close()));
    for (const peer of this.peers.splice(0)) peer.stop();
  }
}

/** An observer that records every notice. */
export function listening(): EventStoreObserver & { readonly heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    appended: (_, result) => heard.push(result),
    retried: (operation) => heard.push(`${operation} retried`),
    unknownOutcomeResolved: () => heard.push('unknown outcome resolved'),
    resubscribed: () => heard.push('resubscribed'),
    reconnected: () => heard.push('reconnected'),
  };
}

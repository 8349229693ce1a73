import { randomUUID } from 'node:crypto';
import type { EventStore, NewEvent } from '#event-store/event-store.js';
import { createEventStorePool, PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { newId } from '#platform/ids.js';
import { startRole } from '../support/role-process.js';
import { createDatabase } from './databases.js';
import { quantile } from './quantiles.js';
import { tell } from './results.js';

export const writers = [1, 8, 64];
const seconds = 5;
const parts = 5;
const steadyWriters = 64;
const appendsEach = 320;
const steadyAppends = parts * steadyWriters * appendsEach;

/** Measures appends and reads of the event stores alone, and whether memory stays flat over many of them. */
export async function benchStore(serverUrl: string): Promise<void> {
  const pool = createEventStorePool(await createDatabase(serverUrl, 'store'));
  await migrateEventStore(pool);
  await benchOne('PostgreSQL', new PostgresEventStore({ pool }));
  await pool.end();

  const { name, url, stop } = await eventStoreDb();
  await benchOne(name, new EventStoreDbEventStore({ connectionString: url }));
  await stop();
}

/**
 * The node that EVENTSTOREDB_URL names, or else the tests' peer in a process of its own. The peer measures the
 * adapter and the protocol, not the database. A bench leaves its events on the node: name one that may be
 * thrown away.
 */
export async function eventStoreDb() {
  const given = process.env['EVENTSTOREDB_URL'];
  if (given) return { name: 'EventStoreDB', url: given, stop: () => Promise.resolve() };
  const peer = await startRole('test/bench/peer-process.js', {});
  const name = 'EventStoreDB’s client on the protocol peer';
  return { name, url: String(peer.ready['url']), stop: () => peer.stop() };
}

async function benchOne(name: string, store: EventStore): Promise<void> {
  try {
    const appends = [];
    for (const count of writers) appends.push(await benchAppends(store, count));
    tell({ title: `Appends, ${name}`, head: ['writers', 'appends/s', 'p50 ms', 'p99 ms'], rows: appends });
    const heaps = await benchMemory(store);
    const title = `Heap over ${steadyAppends} appends that a live subscription sees, ${name}`;
    tell({ title, head: heaps.map((_, part) => `MiB after part ${part + 1}`), rows: [heaps] });
    const { events, perSecond } = await catchUp(store);
    tell({
      title: `Catching up, ${name}`,
      head: ['events', 'events/s'],
      rows: [[events, perSecond.toFixed(0)]],
    });
  } finally {
    await store.close();
  }
}

async function benchAppends(store: EventStore, count: number): Promise<(string | number)[]> {
  const latencies: number[] = [];
  const until = performance.now() + seconds * 1000;
  const write = async () => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      await store.append(`live.job-${newId()}`, 'no-stream', [sampleEvent()]);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: count }, write));
  const at = (share: number) => quantile(latencies, share).toFixed(1);
  return [count, (latencies.length / seconds).toFixed(0), at(0.5), at(0.99)];
}

/** @returns the heap in MiB after each part, once garbage is collected: it must not grow. */
async function benchMemory(store: EventStore): Promise<string[]> {
  const followed = follow(store, steadyAppends, await store.head());
  const heaps: string[] = [];
  for (let part = 0; part < parts; part++) {
    const append = async () => {
      for (let n = 0; n < appendsEach; n++)
        await store.append(`live.job-${newId()}`, 'no-stream', [sampleEvent()]);
    };
    await Promise.all(Array.from({ length: steadyWriters }, append));
    globalThis.gc?.();
    heaps.push((process.memoryUsage().heapUsed / 2 ** 20).toFixed(1));
  }
  await followed;
  return heaps;
}

/** Resolves when a new subscription has seen this many events after the position. */
async function follow(store: EventStore, expected: number, after: bigint | undefined): Promise<void> {
  const stopping = new AbortController();
  let seen = 0;
  const subscription = store.subscribe({
    signal: stopping.signal,
    ...(after === undefined ? {} : { after }),
  });
  for await (const { events } of subscription) {
    seen += events.length;
    if (seen >= expected) stopping.abort();
  }
}

/** Reads all of the log. */
export async function catchUp(store: EventStore): Promise<{ events: number; perSecond: number }> {
  const startedAt = performance.now();
  const stopping = new AbortController();
  let seen = 0;
  for await (const { events, caughtUp } of store.subscribe({ signal: stopping.signal, batchSize: 2000 })) {
    seen += events.length;
    if (caughtUp) break;
  }
  stopping.abort();
  return { events: seen, perSecond: seen / ((performance.now() - startedAt) / 1000) };
}

/** About the size of a CreditsDebited. */
export function sampleEvent(): NewEvent {
  const requestId = newId();
  const data = {
    chargeId: requestId,
    jobId: newId(),
    operation: 'model-generator',
    endpoint: '/v1/model-generator',
    amount: 5,
  };
  const metadata = {
    requestId,
    causationId: requestId,
    tenant: requestId,
    actor: 'operator',
    schemaVersion: 1,
    recordedAt: new Date().toISOString(),
  };
  return { id: randomUUID(), type: 'CreditsDebited', data, metadata };
}

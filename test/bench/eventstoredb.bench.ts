import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDBClient, NO_STREAM, jsonEvent } from '@eventstore/db-client';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { testKeys } from '../support/signing-key.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { newId } from '#platform/ids.js';
import { prepareAtelier } from './atelier.js';
import { median, ownCpuMs } from './cost.js';
import { createInstallation, settingsOf, type BenchServer } from './databases.js';
import { compareDispatches, serviceOf } from './dispatch.bench.js';
import { seedHistory } from './history.js';
import { rebuildAll } from './rebuild.bench.js';
import { tell } from './results.js';
import { catchUp, eventStoreDb, sampleEvent, writers } from './store.bench.js';

const rounds = 5;
const roundMs = 2_000;

/** Compares appends through the port with appends by the client's own batch call, in turns. */
export async function benchEventStoreDbAppends(): Promise<void> {
  const { name, url, stop } = await eventStoreDb();
  const store = new EventStoreDbEventStore({ connectionString: url });
  const client = EventStoreDBClient.connectionString(url);
  const byPort = (event: Event) => store.append(`bench-${newId()}`, 'no-stream', [event]);
  const byClient = (event: Event) =>
    // The client types its own events, and takes any JSON.
    client.appendToStream(`bench-${newId()}`, jsonEvent(event as Parameters<typeof jsonEvent>[0]), {
      expectedRevision: NO_STREAM,
    });
  const rows: (string | number)[][] = [];
  for (const count of writers) {
    const results: (readonly [Appended, Appended])[] = [];
    // The first round warms both up.
    for (let round = 0; round <= rounds; round++)
      results.push([await appendFor(count, byClient), await appendFor(count, byPort)]);
    results.shift();
    const of = (value: (pair: (typeof results)[number]) => number) => median(results.map(value));
    rows.push([
      count,
      of(([own]) => own.perSecond).toFixed(0),
      of(([, port]) => port.perSecond).toFixed(0),
      of(([own, port]) => port.perSecond / own.perSecond).toFixed(2),
      of(([own]) => own.cpuMs).toFixed(3),
      of(([, port]) => port.cpuMs).toFixed(3),
    ]);
  }
  const head = ['writers', 'client/s', 'port/s', 'ratio', 'client, CPU ms', 'port, CPU ms'];
  tell({ title: `Appends through the port and by the client alone, ${name}`, head, rows });
  await client.dispose();
  await store.close();
  await stop();
}

type Event = ReturnType<typeof sampleEvent>;

interface Appended {
  readonly perSecond: number;
  readonly cpuMs: number;
}

async function appendFor(count: number, append: (event: Event) => Promise<unknown>): Promise<Appended> {
  let done = 0;
  const [startedAt, cpuBefore] = [performance.now(), ownCpuMs(process.pid)];
  const write = async () => {
    for (; performance.now() - startedAt < roundMs; done++) await append(sampleEvent());
  };
  await Promise.all(Array.from({ length: count }, write));
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: done / seconds, cpuMs: (ownCpuMs(process.pid) - cpuBefore) / done };
}

/** Compares dispatches with the log in EventStoreDB and dispatches with the log in PostgreSQL. */
export async function benchEventStoreDbDispatch(server: BenchServer): Promise<void> {
  const { name, url, stop } = await eventStoreDb();
  const beside = await prepareAtelier(server.url, 64);
  const atelier = await prepareAtelier(server.url, 64, undefined, { EVENT_STORE_URL: url });
  try {
    await atelier.catchUpSeconds();
    await compareDispatches(server, serviceOf('PostgreSQL', beside), serviceOf(name, atelier));
  } finally {
    await atelier.stop();
    await beside.stop();
    await stop();
  }
}

/** Compares a rebuild of all read models from EventStoreDB with catching up alone, in turns. */
export async function benchEventStoreDbRebuild(serverUrl: string, jobs = 20_000): Promise<void> {
  const { name, url, stop } = await eventStoreDb();
  const urls = await createInstallation(serverUrl, 'rebuild', url);
  const opened = await openEventStore(urls, { ...testKeys });
  await seedHistory(opened.store, jobs);
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const fresh = new EventStoreDbEventStore({ connectionString: url });
    const { perSecond: reading } = await catchUp(fresh);
    await fresh.close();
    await sleep(500);
    const rebuild = await rebuildAll(settingsOf(urls.databaseUrl, url));
    ratios.push(rebuild.eventsPerSecond / reading);
    rows.push([reading.toFixed(0), String(rebuild.eventsPerSecond), ratios.at(-1)!.toFixed(2)]);
  }
  rows.push(['', 'median', median(ratios).toFixed(2)]);
  tell({ title: `Rebuild, ${name}`, head: ['catching up, events/s', 'rebuild, events/s', 'ratio'], rows });
  await opened.close();
  await stop();
}

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  batchParents,
  chargeCloser,
  renderDispatcher,
} from '#application/process-managers/process-managers.js';
import type { EventStore } from '#event-store/event-store.js';
import { operate } from '../support/command.js';
import { prepareAtelier, type AtelierUnderLoad } from './atelier.js';
import { settingsOf } from './databases.js';
import { seedHistory } from './history.js';
import { dispatchOne } from './load.js';
import { tell, tellTimes } from './results.js';

const usualJobs = 100_000;
const perSecond = 50;

type RebuiltRow = [how: string, ...Awaited<ReturnType<typeof measured>>];
const rebuiltHead = ['rebuild', 'events', 'events/s', 's in all', 'checkpoints held, ms'];

/**
 * Measures how many events a second a rebuild of all read models folds: from empty tables, beside live ones,
 * and beside live ones while dispatches go on. It ends with the audit of the ledger.
 */
export async function benchRebuild(serverUrl: string, jobs = usualJobs): Promise<void> {
  const rows: RebuiltRow[] = [];
  const atelier = await prepareAtelier(serverUrl, 4, async (store, url) => {
    await prepareHistory(store, url, jobs);
    rows.push(['out of nothing', ...(await measured(settingsOf(url)))]);
  });
  try {
    rows.push(['beside live ones', ...(await measured(atelier.settings))]);
    const load = dispatchSteadily(atelier);
    await sleep(2_000);
    rows.push([`with ${perSecond} dispatches a second beside it`, ...(await measured(atelier.settings))]);
    const { milliseconds, failures } = await load.stop();
    tell({ title: 'Rebuilds of all read models', head: rebuiltHead, rows });
    tellTimes(`Dispatches meanwhile, ${failures.length} failed`, { 'due → 202': milliseconds });
    if (failures.length > 0) console.log(failures.slice(0, 3).join('\n'));
    await atelier.catchUpSeconds();
    const { stdout, stderr } = await operate(atelier.settings, 'ledger', 'audit');
    console.log(`ledger audit: exit code 0\n${stdout}${stderr}`);
  } finally {
    await atelier.stop();
  }
}

async function prepareHistory(store: EventStore, databaseUrl: string, jobs: number): Promise<void> {
  const startedAt = performance.now();
  await seedHistory(store, jobs);
  const seconds = (performance.now() - startedAt) / 1000;
  const head = await store.head();
  console.log(`${jobs} jobs of history, ${head} events, written in ${seconds.toFixed(0)} s`);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // These jobs are over and must not be rendered.
  for (const name of [renderDispatcher, chargeCloser, batchParents])
    await client.query('insert into live.process_checkpoints (process, position) values ($1, $2)', [
      name,
      head,
    ]);
  await client.end();
}

async function measured(settings: AtelierUnderLoad['settings']) {
  const { events, eventsPerSecond, seconds, heldMs } = await rebuildAll(settings);
  return [events, eventsPerSecond, seconds, heldMs] as const;
}

/** Runs the operator's own command, as an operator would. */
export async function rebuildAll(settings: AtelierUnderLoad['settings']) {
  const startedAt = performance.now();
  const { stdout } = await operate(settings, 'projections', 'rebuild', '--all', '--env', 'live', '--json');
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const { environments } = JSON.parse(stdout) as { environments: Record<string, number>[] };
  const {
    events = NaN,
    events_per_second: eventsPerSecond = NaN,
    held_ms: heldMs = NaN,
  } = environments[0] ?? {};
  return { events, eventsPerSecond, heldMs, seconds };
}

/** Dispatches by the clock, without waiting for the last answer, until it is stopped. */
function dispatchSteadily({ url, keys }: AtelierUnderLoad) {
  const stopping = new AbortController();
  const milliseconds: number[] = [];
  const failures: string[] = [];
  const one = async (place: number, due: number) => {
    try {
      const response = await dispatchOne(url, keys[place % keys.length]!, place);
      await response.text();
      if (response.status !== 202) failures.push(String(response.status));
      milliseconds.push(performance.now() - due);
    } catch (error) {
      failures.push(String(error));
    }
  };
  const running = (async () => {
    const startedAt = performance.now();
    const sent: Promise<void>[] = [];
    for (let place = 0; !stopping.signal.aborted; place++) {
      const due = startedAt + (place * 1000) / perSecond;
      await sleep(Math.max(0, due - performance.now()));
      sent.push(one(place, due));
    }
    await Promise.all(sent);
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      return { milliseconds, failures };
    },
  };
}

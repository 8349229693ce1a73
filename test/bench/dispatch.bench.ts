import { setTimeout as sleep } from 'node:timers/promises';
import { prepareAtelier, type AtelierUnderLoad } from './atelier.js';
import { median, spent, spentEach, statisticsDelayMs, type Spent } from './cost.js';
import { createDatabase, type BenchServer } from './databases.js';
import { dispatchLoad, type LoadResult } from './load.js';
import { tell } from './results.js';
import { startRole } from '../support/role-process.js';

const seconds = 5;
const rounds = 3;
const scenarios: readonly Scenario[] = [
  { tenants: 1, connections: 1 },
  { tenants: 1, connections: 8 },
  { tenants: 64, connections: 8 },
  { tenants: 1, connections: 64 },
  { tenants: 64, connections: 64 },
];

export interface Scenario {
  readonly tenants: number;
  readonly connections: number;
}

export interface Service {
  readonly name: string;
  readonly url: string;
  readonly databaseUrl: string;
  readonly keys: readonly string[];
  readonly pids: Readonly<Record<string, number>>;
  /** Waits until all work of the load is done. */
  settle(): Promise<void>;
}

type Measured = LoadResult & { readonly each: Spent };

/** Dispatches a second beside the plain CRUD service. */
export async function benchDispatch(server: BenchServer): Promise<void> {
  const atelier = await prepareAtelier(server.url, 64);
  const crudUrl = await createDatabase(server.url, 'crud');
  const { keys } = atelier;
  const crud = await startRole('test/bench/crud/main.js', { DATABASE_URL: crudUrl, KEYS: keys.join(',') });
  const peer: Service = {
    name: 'crud',
    url: String(crud.ready['url']),
    databaseUrl: crudUrl,
    keys,
    pids: { api: crud.pid },
    settle: () => Promise.resolve(),
  };
  try {
    await compareDispatches(server, peer, serviceOf('atelier', atelier));
  } finally {
    await crud.stop();
    await atelier.stop();
  }
}

export function serviceOf(name: string, atelier: AtelierUnderLoad): Service {
  return {
    ...atelier,
    name,
    settle: async () => {
      const behind = await atelier.catchUpSeconds();
      if (behind > 0.5) console.log(`read models caught up ${behind.toFixed(1)} s after the load ended`);
    },
  };
}

const comparedHead = [
  'tenants',
  'connections',
  'service',
  'dispatches/s',
  'ratio',
  'p50 ms',
  'p99 ms',
  'not 202',
  'CPU ms: api',
  'projector',
  'postgres',
  'transactions',
];

/** Measures two services in turns, round after round: only the ratio counts. */
export async function compareDispatches(server: BenchServer, peer: Service, subject: Service): Promise<void> {
  const services = [peer, subject];
  for (const { url, keys } of services) await dispatchLoad({ url, keys, connections: 16, seconds: 3 });
  const rows: (string | number)[][] = [];
  for (const scenario of scenarios) {
    const results: Record<string, Measured[]> = {};
    for (let round = 0; round < rounds; round++) {
      for (const service of services) {
        (results[service.name] ??= []).push(await measure(service, server.pid, scenario));
      }
    }
    const ratios = results[subject.name]!.map(
      (ours, round) => ours.perSecond / results[peer.name]![round]!.perSecond,
    );
    for (const { name } of services) {
      const of = (value: (one: Measured) => number) => median(results[name]!.map(value));
      rows.push([
        scenario.tenants,
        scenario.connections,
        name,
        of(({ perSecond }) => perSecond).toFixed(0),
        name === subject.name ? median(ratios).toFixed(2) : '',
        of(({ p50Ms }) => p50Ms),
        of(({ p99Ms }) => p99Ms),
        of(({ refused }) => refused),
        ...['api', 'projector', 'postgres'].map((process) =>
          of(({ each }) => each.cpuMs[process] ?? 0).toFixed(2),
        ),
        of(({ each }) => each.transactions).toFixed(1),
      ]);
    }
  }
  tell({ title: `Dispatches: ${subject.name} beside ${peer.name}`, head: comparedHead, rows });
}

/** The load of some seconds, and what each dispatch used until all its work was done. */
export async function measure(
  { url, databaseUrl, keys, pids, settle }: Service,
  serverPid: number,
  { tenants, connections }: Scenario,
): Promise<Measured> {
  const used = async () => {
    await sleep(statisticsDelayMs);
    return spent(pids, { pid: serverPid, databaseUrl });
  };
  const before = await used();
  const load = await dispatchLoad({ url, keys: keys.slice(0, tenants), connections, seconds });
  await settle();
  return { ...load, each: spentEach(before, await used(), load.dispatches) };
}

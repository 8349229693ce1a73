import Table from 'cli-table3';
import { prepareAtelier } from './atelier.js';
import { createDatabase } from './databases.js';
import { dispatchLoad, type LoadResult } from './load.js';
import { startRole, type RoleProcess } from '../support/role-process.js';

const seconds = 8;
const scenarios = [
  { tenants: 1, connections: 8 },
  { tenants: 1, connections: 64 },
  { tenants: 64, connections: 64 },
];

async function startPeer(serverUrl: string, keys: readonly string[]): Promise<RoleProcess & { url: string }> {
  const url = await createDatabase(serverUrl, 'crud');
  const started = await startRole('test/bench/crud/main.js', { DATABASE_URL: url, KEYS: keys.join(',') });
  return { ...started, url: String(started.ready['url']) };
}

/** Dispatches a second beside the plain CRUD service, in turns within one run: only the ratio counts. */
export async function benchDispatch(serverUrl: string): Promise<void> {
  const atelier = await prepareAtelier(serverUrl, 64);
  const peer = await startPeer(serverUrl, atelier.keys);
  const table = new Table({
    head: ['tenants', 'connections', 'service', 'dispatches/s', 'p50 ms', 'p99 ms', 'not 202', 'ratio'],
  });
  try {
    for (const url of [peer.url, atelier.url]) {
      await dispatchLoad({ url, keys: atelier.keys, connections: 16, seconds: 3 });
    }
    for (const { tenants, connections } of scenarios) {
      const keys = atelier.keys.slice(0, tenants);
      const crud = await dispatchLoad({ url: peer.url, keys, connections, seconds });
      const ours = await dispatchLoad({ url: atelier.url, keys, connections, seconds });
      const row = (name: string, result: LoadResult, ratio: string) => [
        tenants,
        connections,
        name,
        result.perSecond.toFixed(0),
        result.p50Ms,
        result.p99Ms,
        result.refused,
        ratio,
      ];
      table.push(row('crud', crud, ''), row('atelier', ours, (ours.perSecond / crud.perSecond).toFixed(2)));
      console.log(
        `read models caught up ${(await atelier.catchUpSeconds()).toFixed(1)} s after the load ended`,
      );
    }
    console.log(table.toString());
  } finally {
    await peer.stop();
    await atelier.stop();
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { benchDispatch } from './dispatch.bench.js';
import { benchPaced } from './paced.bench.js';
import { benchRender } from './render.bench.js';
import { benchStore } from './store.bench.js';

const benches: Record<string, (serverUrl: string) => Promise<void>> = {
  dispatch: benchDispatch,
  paced: benchPaced,
  store: benchStore,
  render: benchRender,
};

/** `npm run bench [-- name …]`: all benches, or those named, on a PostgreSQL of their own with real disk flushes. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`);
  process.exit(1);
}
const home = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
process.env['ATELIER_BENCH_HOME'] = home;
const server = await startEmbeddedPostgres({
  dataDirectory: join(home, 'postgres'),
  logFile: join(home, 'postgres.log'),
});
try {
  for (const [name, run] of Object.entries(benches)) {
    if (wanted.length === 0 || wanted.includes(name)) await run(server.url);
  }
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

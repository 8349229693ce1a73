import { withServer, type BenchServer } from './databases.js';
import { npmRun, oneOf, wholeNumber } from '../support/npm-run.js';
import { benchAudit } from './audit.bench.js';
import { benchConsole } from './console.bench.js';
import { benchDispatch } from './dispatch.bench.js';
import {
  benchEventStoreDbAppends,
  benchEventStoreDbDispatch,
  benchEventStoreDbRebuild,
} from './eventstoredb.bench.js';
import { benchGrowth } from './growth.bench.js';
import { benchLevels } from './levels.bench.js';
import { benchPaced } from './paced.bench.js';
import { benchRebuild } from './rebuild.bench.js';
import { benchRender } from './render.bench.js';
import { benchStart } from './start.bench.js';
import { benchStore } from './store.bench.js';
import { benchVendors } from './vendors.bench.js';
import { benchWords } from './words.bench.js';

const benches: Record<string, (server: BenchServer, size?: number) => Promise<void>> = {
  dispatch: benchDispatch,
  levels: ({ url }) => benchLevels(url),
  paced: ({ url }) => benchPaced(url),
  store: ({ url }) => benchStore(url),
  render: ({ url }) => benchRender(url),
  rebuild: ({ url }, jobs) => benchRebuild(url, jobs),
  'eventstoredb-appends': benchEventStoreDbAppends,
  'eventstoredb-dispatch': benchEventStoreDbDispatch,
  'eventstoredb-rebuild': ({ url }, jobs) => benchEventStoreDbRebuild(url, jobs),
  start: benchStart,
  growth: benchGrowth,
  vendors: ({ url }) => benchVendors(url),
  audit: ({ url }, jobs) => benchAudit(url, jobs),
  words: benchWords,
  console: ({ url }, jobs) => benchConsole(url, jobs),
};

const names = Object.keys(benches);
const isSize = (argument: string) => /^\d+$/.test(argument);
const named = oneOf(names, 'bench');
const { args } = npmRun(
  'bench',
  'Measures on a PostgreSQL of its own with real disk flushes (docs/performance-notes.md).',
)
  .argument(
    '[bench or size...]',
    `${names.join(', ')} (default: all); a number is the size of the history where a bench has one, in jobs`,
    (argument) => (isSize(argument) ? wholeNumber(argument) : named(argument)),
  )
  .parse();
const size = args.find(isSize);
const wanted = args.filter((argument) => !isSize(argument));
await withServer(async (server) => {
  for (const [name, run] of Object.entries(benches)) {
    if (wanted.length === 0 || wanted.includes(name))
      await run(server, size === undefined ? undefined : Number(size));
  }
});

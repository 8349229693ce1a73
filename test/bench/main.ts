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
import { saveResults } from './results.js';
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

const all = 'all';
const names = [all, ...Object.keys(benches)];
const isSize = (argument: string) => /^\d+$/.test(argument);
const named = oneOf(names, 'bench');
const command = npmRun(
  'bench',
  'Measures on a PostgreSQL of its own with real disk flushes (docs/performance-notes.md), and writes the tables as JSON and Markdown.',
)
  .argument(
    '[bench or size...]',
    `${names.join(', ')}; a number is the size of the history where a bench has one, in jobs`,
    (argument) => (isSize(argument) ? wholeNumber(argument) : named(argument)),
  )
  .option('--output <folder>', 'for results.json and results.md', '.atelier/bench')
  .parse();
const { args } = command;
const { output } = command.opts<{ output: string }>();
const size = args.find(isSize);
const wanted = args.filter((argument) => !isSize(argument));
const isAll = wanted.length === 0 || wanted.includes(all);
await withServer(async (server) => {
  for (const [name, run] of Object.entries(benches)) {
    if (!isAll && !wanted.includes(name)) continue;
    await run(server, size === undefined ? undefined : Number(size));
    // After each, so that the next one's error loses nothing.
    saveResults(output);
  }
});
console.log(`\nThe tables are in ${output}/results.md and results.json.`);

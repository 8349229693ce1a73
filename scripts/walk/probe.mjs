import { existsSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/*
 * Preloaded into every process and thread of the service by main.mjs. Each time a file `take-N` appears, it
 * writes the functions that ran since the last time to `PID-THREAD-N.json`, and starts counting from zero.
 */
const folder = process.env.WALK_FOLDER;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
let taken = 0;
setInterval(() => {
  if (existsSync(join(folder, `take-${taken + 1}`))) void take();
}, 50).unref();

async function take() {
  const name = `${process.pid}-${threadId}-${++taken}.json`;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
    // The first function is left out: it is the script itself, which runs when it is loaded.
    .map(({ url, functions }) => ({
      url,
      functions: functions
        .filter(
          ({ functionName, ranges }) =>
            ranges[0].startOffset > 0 && ranges[0].count > 0 && functionName !== '',
        )
        .map((each) => each.functionName),
    }))
    .filter(({ functions }) => functions.length > 0);
  writeFileSync(join(folder, name), JSON.stringify(ran));
}

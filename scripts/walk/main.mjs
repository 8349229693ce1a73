import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/*
 * Counts the files that one dispatch passes through. A file counts if one of its functions runs between the
 * call of a warm service and the settlement of the charge, and does not run while the service is at rest. V8's
 * own coverage counts the calls. `npm run walk -- --list` names the files with their functions.
 */
const helperOf = 10;
const [settleMs, restMs] = [5_000, 15_000];
const folder = mkdtempSync(join(tmpdir(), 'atelier-walk-'));
const probe = fileURLToPath(new URL('probe.mjs', import.meta.url));
const { ATELIER_HOME, PORT, ...environment } = process.env;
const service = fork('dist/apps/standalone/src/main.js', {
  env: {
    ...environment,
    ATELIER_HOME: join(folder, 'home'),
    PORT: '0',
    WALK_FOLDER: folder,
    NODE_OPTIONS: `--import=${probe}`,
  },
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
let printed = '';
service.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
try {
  const [first] = await Promise.race([once(service, 'message'), once(service, 'exit')]);
  if (!first?.baseUrl) throw new Error('the service did not start');
  const { baseUrl } = first;
  const key = /sk_test_\S+/.exec(printed)[0];
  // The first dispatches load the code that later ones use, and show how long a dispatch takes here.
  await settled(baseUrl, key, await dispatch(baseUrl, key));
  const startedAt = performance.now();
  await settled(baseUrl, key, await dispatch(baseUrl, key));
  // This waits without looking at the job, because a look would count as part of the dispatch.
  const enoughMs = 3 * (performance.now() - startedAt);
  await take(1);
  await pause(restMs);
  const rest = await take(2);
  const last = await dispatch(baseUrl, key);
  await pause(enoughMs);
  const walked = await take(3);
  await settled(baseUrl, key, last);
  report(walked, rest);
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

async function dispatch(baseUrl, key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    gender: 'FEMALE',
    ethnicity: 'east_african',
    body_type: 'athletic',
    age_range: '26-30',
  });
  const answer = await fetch(`${baseUrl}/v1/model-generator`, { method: 'POST', headers, body });
  if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).job_id;
}

/** Waits for the job's picture, and leaves time for the work that follows. */
async function settled(baseUrl, key, jobId) {
  for (let status = ''; status !== 'SUCCESS';) {
    const answer = await fetch(`${baseUrl}/v1/jobs/${jobId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    ({ status } = await answer.json());
    if (status === 'FAILURE') throw new Error(`job ${jobId} failed`);
    await pause(500);
  }
  await pause(settleMs);
}

/** The functions, by file, that ran in all processes and threads since the last time. */
async function take(number) {
  writeFileSync(join(folder, `take-${number}`), '');
  await pause(3_000);
  const files = new Map();
  for (const name of readdirSync(folder).filter((each) => each.endsWith(`-${number}.json`))) {
    for (const { url, functions } of JSON.parse(readFileSync(join(folder, name), 'utf8'))) {
      const file = fileURLToPath(url)
        .slice(process.cwd().length + 1)
        .replace(/^dist\//, '')
        .replace(/js$/, 'ts');
      if (!file.startsWith('scripts/')) files.set(file, new Set([...(files.get(file) ?? []), ...functions]));
    }
  }
  return files;
}

function report(walked, rest) {
  const atRest = (file, name) => rest.get(file)?.has(name) ?? false;
  const files = [...walked]
    .map(([file, functions]) => ({ file, functions: [...functions].filter((name) => !atRest(file, name)) }))
    .filter(({ functions }) => functions.length > 0)
    .toSorted((one, other) => one.file.localeCompare(other.file));
  const own = files.filter(({ file }) => !file.startsWith('packages/'));
  const sources = execFileSync('git', ['ls-files', 'apps/**/*.ts', 'libs/**/*.ts', 'projections/**/*.ts'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => !file.endsWith('spec.ts'))
    .map((file) => readFileSync(file, 'utf8'));
  const importers = (file) => {
    const end = file.split('/').at(-1).replace(/ts$/, 'js');
    return sources.filter((text) => text.includes(`/${end}'`)).length;
  };
  if (process.argv.includes('--list'))
    for (const { file, functions } of own) console.log(`${file}: ${functions.join(', ')}`);
  const lines = own.reduce((sum, { file }) => sum + readFileSync(file, 'utf8').split('\n').length, 0);
  const ownWithoutHelpers = own.filter(({ file }) => importers(file) < helperOf);
  console.log(
    `${own.length} files with ${lines} lines run for one dispatch and its settlement, and not at rest`,
  );
  console.log(`${ownWithoutHelpers.length} of them without those that ${helperOf} or more files import`);
  console.log(`${files.length - own.length} files of the engine's packages`);
}

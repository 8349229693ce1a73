import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { attackBodies, attackGuesses, attackReaders, type Target } from './attacks.js';
import { prepareTarget } from './target.js';

const attacks: Record<string, (target: Target) => Promise<boolean>> = {
  readers: attackReaders,
  bodies: attackBodies,
  guesses: attackGuesses,
};

/**
 * `npm run attack [-- name …]`: attacks an installation of its own on this machine, prints what came of it, and exits with 1
 * where an attack succeeds.
 */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(attacks, name));
if (unknown.length > 0) {
  console.error(`There is no attack ${unknown.join(', ')}. There are: ${Object.keys(attacks).join(', ')}`);
  process.exit(2);
}
const home = await mkdtemp(join(tmpdir(), 'atelier-attack-'));
process.env['ATELIER_BENCH_HOME'] = home;
const server = await startEmbeddedPostgres({
  dataDirectory: join(home, 'postgres'),
  logFile: join(home, 'postgres.log'),
});
try {
  for (const [name, run] of Object.entries(attacks)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const target = await prepareTarget(server.url);
    try {
      if (!(await run(target))) process.exitCode = 1;
    } finally {
      await target.stop();
    }
  }
} finally {
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { npmRun, someOf } from '../support/npm-run.js';
import { attackBodies, attackGuesses, attackReaders, type Target } from './attacks.js';
import { prepareTarget } from './target.js';

const attacks: Record<string, (target: Target) => Promise<boolean>> = {
  readers: attackReaders,
  bodies: attackBodies,
  guesses: attackGuesses,
};

const names = Object.keys(attacks);
const [wanted = names] = npmRun(
  'attack',
  'Attacks an installation of its own on this machine, and exits with 1 where an attack succeeds.',
)
  .argument('[attack...]', `${names.join(', ')} (default: all)`, someOf(names, 'attack'))
  .parse().processedArgs as [string[]?];
const home = await mkdtemp(join(tmpdir(), 'atelier-attack-'));
process.env['ATELIER_BENCH_HOME'] = home;
const server = await startEmbeddedPostgres({
  dataDirectory: join(home, 'postgres'),
  logFile: join(home, 'postgres.log'),
});
try {
  for (const [name, run] of Object.entries(attacks)) {
    if (!wanted.includes(name)) continue;
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

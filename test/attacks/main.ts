import { withServer } from '../bench/databases.js';
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
await withServer(async ({ url }) => {
  for (const [name, run] of Object.entries(attacks)) {
    if (!wanted.includes(name)) continue;
    const target = await prepareTarget(url);
    try {
      if (!(await run(target))) process.exitCode = 1;
    } finally {
      await target.stop();
    }
  }
});

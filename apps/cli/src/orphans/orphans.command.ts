import type { Command } from 'commander';
import { duration, environmentOption } from '../arguments.js';
import { guarded, verb } from '../verb.js';

const everywhere = 'only in this environment';

export function addOrphans(program: Command): void {
  const orphans = program
    .command('orphans')
    .description('charges whose job never came; the projector gives them back by itself');
  const horizon = [
    '--horizon <time>',
    'how old they must be, such as 90s or 15m (default: ATELIER_ORPHAN_HORIZON_MS, or 60s)',
    duration(7),
  ] as const;

  verb(orphans, 'list', 'open charges without a job that are older than the horizon')
    .option(...horizon)
    .addOption(environmentOption(everywhere))
    .action(guarded(async (options) => (await import('./list-orphans.js')).listOrphans(options)));

  verb(orphans, 'sweep', 'fence their jobs off and give them back, now')
    .option(...horizon)
    .addOption(environmentOption(everywhere))
    .action(guarded(async (options) => (await import('./sweep-now.js')).sweepNow(options)));
}

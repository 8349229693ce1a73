import type { Command } from 'commander';
import { duration, environmentOption } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./orphans.js');
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
    .action(lazily(actions, 'listOrphans'));

  verb(orphans, 'sweep', 'fence their jobs off and give them back, now')
    .option(...horizon)
    .addOption(environmentOption(everywhere))
    .action(lazily(actions, 'sweepNow'));
}

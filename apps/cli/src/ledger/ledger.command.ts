import { Option, type Command } from 'commander';
import { duration, environmentOption, tenantOption, ulid } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const orphanActions = () => import('./orphans.js');
const everywhere = 'only in this environment';

export function addLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('what the credits are, and that they are what they must be');

  verb(
    ledger,
    'audit',
    'check all that must hold, against history and row for row; exit code 0 only if all does',
  )
    .addOption(environmentOption('only this environment'))
    .addOption(new Option('--tenant <id>', 'only what is of this tenant').argParser(ulid))
    .option(
      '--at <time|position>',
      'history up to then, and no read models: a time such as 2026-01-31T12:00:00Z, or a position of the log',
    )
    .option(
      '--horizon <time>',
      'how long a charge may stay open that should be closed, for example 5m; without it a minute more than the orphan horizon',
      duration(7),
    )
    .action(lazily(() => import('./audit-ledger.js'), 'auditLedger'));

  verb(ledger, 'export', 'the movements of every account, with opening and closing balance')
    .addOption(environmentOption('only this environment'))
    .addOption(new Option('--tenant <id>', 'only the account of this tenant').argParser(ulid))
    .option('--csv', 'comma-separated values, with a header')
    .option('--from <time>', 'from this time on, inclusive, for example 2026-01-01T00:00:00Z')
    .option('--to <time>', 'up to this time, exclusive')
    .action(lazily(() => import('./export-ledger.js'), 'exportLedger'));

  verb(ledger, 'show', 'the balance and the ledger of a tenant, now or at any moment that was')
    .addOption(tenantOption())
    .addOption(environmentOption('only this environment'))
    .option('--at <time|revision>', 'as of then: a time, or a revision of the account')
    .action(lazily(() => import('./show-ledger.js'), 'showLedger'));
}

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
    .action(lazily(orphanActions, 'listOrphans'));

  verb(orphans, 'sweep', 'fence their jobs off and give them back, now')
    .option(...horizon)
    .addOption(environmentOption(everywhere))
    .action(lazily(orphanActions, 'sweepNow'));
}

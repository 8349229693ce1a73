import type { Command } from 'commander';
import { capabilities, environmentOption, shortText, tenantOption, ulid } from '../arguments.js';
import { guarded, verb } from '../verb.js';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys');

  verb(keys, 'issue', 'make a key; it is shown this once and stored only as a hash')
    .addOption(tenantOption())
    .addOption(environmentOption('environment that the key opens').makeOptionMandatory())
    .requiredOption('--capabilities <list>', 'jobs:create, jobs:read or both, with a comma', capabilities)
    .option('--label <text>', 'what it is for', shortText(0, 128), '')
    .action(guarded(async (options) => (await import('./issue-key.js')).issueKey(options)));

  verb(keys, 'list', "a tenant's keys, revoked ones included")
    .addOption(tenantOption())
    .addOption(environmentOption('only those of this environment'))
    .action(guarded(async (options) => (await import('./list-keys.js')).listKeys(options)));

  verb(keys, 'revoke', 'make a key invalid, for good')
    .argument('<key>', 'id of the key, as `keys list` shows it', ulid)
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'revoked by the operator')
    .action(guarded(async (key, options) => (await import('./revoke-key.js')).revokeKey(key, options)));
}

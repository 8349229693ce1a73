import type { Command } from 'commander';
import { capabilities, duration, environmentOption, shortText, tenantOption, ulid } from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./keys.js');
const key = ['<key>', 'id of the key, as `keys list` shows it', ulid] as const;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys');

  verb(keys, 'issue', 'make a key; it is shown this once and stored only as a hash')
    .addOption(tenantOption())
    .addOption(environmentOption('environment that the key opens').makeOptionMandatory())
    .requiredOption('--capabilities <list>', 'jobs:create, jobs:read or both, with a comma', capabilities)
    .option('--label <text>', 'what it is for', shortText(0, 128), '')
    .option('--require-signature', 'refuse its requests unless they are signed')
    .action(lazily(actions, 'issueTenantKey'));

  verb(keys, 'rotate', 'make a successor that may do the same; the old key goes on for a while')
    .argument(...key)
    .option(
      '--overlap <time>',
      'how long the old one goes on: 0, 90s, 15m, 24h, 7d',
      duration(90),
      86_400_000,
    )
    .action(lazily(actions, 'rotateTenantKey'));

  verb(keys, 'signing-secret', 'what the client of a key signs its requests with')
    .argument(...key)
    .action(lazily(actions, 'showSigningSecret'));

  verb(keys, 'list', "a tenant's keys, those that retire or are revoked included")
    .addOption(tenantOption())
    .addOption(environmentOption('only those of this environment'))
    .action(lazily(actions, 'listTenantKeys'));

  verb(keys, 'revoke', 'make a key invalid, for good')
    .argument(...key)
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'revoked by the operator')
    .action(lazily(actions, 'revokeTenantKey'));
}

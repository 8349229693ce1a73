import type { Command } from 'commander';
import { environmentOption, maxCreditsAtOnce, shortText, ulid, wholeNumber } from '../arguments.js';
import { guarded, verb } from '../verb.js';

export function addTenants(program: Command): void {
  const tenants = program.command('tenants').description('the customers, and their accounts');

  verb(tenants, 'create', 'open an account, in both environments unless --env says which')
    .requiredOption('--name <name>', 'name of the customer', shortText(1, 128))
    .requiredOption('--credits <n>', 'credits to begin with, in each', wholeNumber(0, maxCreditsAtOnce))
    .option('--plan <plan>', 'name of the plan', shortText(1, 64))
    .option(
      '--daily-cap <credits>',
      'most that is spent in 24 hours; 0: no cap',
      wholeNumber(0, maxCreditsAtOnce),
    )
    .option('--rate-limit <n>', 'requests a minute, per key', wholeNumber(1, 1_000_000))
    .addOption(environmentOption('open the account in this environment only'))
    .action(guarded(async (options) => (await import('./create-tenant.js')).createTenant(options)));

  verb(tenants, 'show', 'balances and terms of a tenant')
    .argument('<tenant>', 'id of the tenant', ulid)
    .action(
      guarded(async (tenant, options) => (await import('./show-tenant.js')).showTenant(tenant, options)),
    );

  verb(tenants, 'plan', 'change the terms of a tenant; what is not named stays as it is')
    .argument('<tenant>', 'id of the tenant', ulid)
    .option('--plan <plan>', 'name of the plan', shortText(1, 64))
    .option(
      '--daily-cap <credits>',
      'most that is spent in 24 hours; 0: no cap',
      wholeNumber(0, maxCreditsAtOnce),
    )
    .option(
      '--monthly-quota <credits>',
      'credits that the plan means for a month; 0: pay as you go',
      wholeNumber(0, maxCreditsAtOnce),
    )
    .option('--rate-limit <n>', 'requests a minute, per key', wholeNumber(1, 1_000_000))
    .addOption(environmentOption('only in this environment'))
    .action(
      guarded(async (tenant, options) => (await import('./change-plan.js')).changePlan(tenant, options)),
    );

  verb(tenants, 'suspend', 'refuse the dispatches of a tenant; reading goes on')
    .argument('<tenant>', 'id of the tenant', ulid)
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'suspended by the operator')
    .addOption(environmentOption('only in this environment'))
    .action(
      guarded(async (tenant, options) => (await import('./suspend-tenant.js')).suspend(tenant, options)),
    );

  verb(tenants, 'reactivate', 'accept the dispatches of a suspended tenant again')
    .argument('<tenant>', 'id of the tenant', ulid)
    .addOption(environmentOption('only in this environment'))
    .action(
      guarded(async (tenant, options) => (await import('./suspend-tenant.js')).reactivate(tenant, options)),
    );
}

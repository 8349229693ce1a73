import type { Command } from 'commander';
import {
  environmentOption,
  maxCreditsAtOnce,
  purchaseKindOption,
  shortText,
  tenantOption,
  ulid,
  wholeNumber,
} from '../arguments.js';
import { lazily, verb } from '../verb.js';

const actions = () => import('./tenants.js');

export function addTenants(program: Command): void {
  const tenants = program.command('tenants').description('the customers, and their accounts');
  const dailyCap = [
    '--daily-cap <credits>',
    'most that is spent in 24 hours; 0: no cap',
    wholeNumber(0, maxCreditsAtOnce),
  ] as const;
  const rateLimit = ['--rate-limit <n>', 'requests a minute, per key', wholeNumber(1, 1_000_000)] as const;

  verb(tenants, 'create', 'open an account, in both environments unless --env says which')
    .requiredOption('--name <name>', 'name of the customer', shortText(1, 128))
    .requiredOption('--credits <n>', 'credits to begin with, in each', wholeNumber(0, maxCreditsAtOnce))
    .option('--plan <plan>', 'name of the plan', shortText(1, 64))
    .option(...dailyCap)
    .option(...rateLimit)
    .addOption(environmentOption('open the account in this environment only'))
    .action(lazily(actions, 'createTenant'));

  verb(tenants, 'show', 'balances and terms of a tenant')
    .argument('<tenant>', 'id of the tenant', ulid)
    .action(lazily(actions, 'showTenant'));

  verb(tenants, 'plan', 'change the terms of a tenant; what is not named stays as it is')
    .argument('<tenant>', 'id of the tenant', ulid)
    .option('--plan <plan>', 'name of the plan', shortText(1, 64))
    .option(...dailyCap)
    .option(
      '--monthly-quota <credits>',
      'credits that the plan means for a month; 0: pay as you go',
      wholeNumber(0, maxCreditsAtOnce),
    )
    .option(...rateLimit)
    .addOption(environmentOption('only in this environment'))
    .action(lazily(actions, 'changeTenantTerms'));

  verb(tenants, 'suspend', 'refuse the dispatches of a tenant; reading goes on')
    .argument('<tenant>', 'id of the tenant', ulid)
    .option('--reason <text>', 'why, for the record', shortText(1, 200), 'suspended by the operator')
    .addOption(environmentOption('only in this environment'))
    .action(lazily(actions, 'suspendTenant'));

  verb(tenants, 'reactivate', 'accept the dispatches of a suspended tenant again')
    .argument('<tenant>', 'id of the tenant', ulid)
    .addOption(environmentOption('only in this environment'))
    .action(lazily(actions, 'reactivateTenant'));
}

export function addCredits(program: Command): void {
  const credits = program.command('credits').description('what tenants may spend');

  verb(credits, 'grant', 'add credits to a balance, as a purchase in the ledger')
    .addOption(tenantOption())
    .addOption(environmentOption().makeOptionMandatory())
    .requiredOption('--amount <credits>', 'how many', wholeNumber(1, maxCreditsAtOnce))
    .addOption(purchaseKindOption().makeOptionMandatory())
    .requiredOption('--label <text>', 'what the ledger says about it', shortText(1, 128))
    .action(lazily(actions, 'grantTenantCredits'));
}

import type { Command } from 'commander';
import {
  environmentOption,
  maxCreditsAtOnce,
  purchaseKindOption,
  shortText,
  tenantOption,
  wholeNumber,
} from '../arguments.js';
import { guarded, verb } from '../verb.js';

export function addCredits(program: Command): void {
  const credits = program.command('credits').description('what tenants may spend');

  verb(credits, 'grant', 'add credits to a balance, as a purchase in the ledger')
    .addOption(tenantOption())
    .addOption(environmentOption().makeOptionMandatory())
    .requiredOption('--amount <credits>', 'how many', wholeNumber(1, maxCreditsAtOnce))
    .addOption(purchaseKindOption().makeOptionMandatory())
    .requiredOption('--label <text>', 'what the ledger says about it', shortText(1, 128))
    .action(guarded(async (options) => (await import('./grant-credits.js')).grant(options)));
}

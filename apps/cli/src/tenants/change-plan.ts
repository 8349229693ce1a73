import { changeTenantTerms } from '#application/account/tenants.js';
import type { AccountTerms } from '#domain/account/account.events.js';
import type { Environment } from '#domain/streams.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { accountsOf } from './accounts-of.js';

export interface ChangePlanOptions extends OutputOptions {
  readonly plan?: string;
  readonly dailyCap?: number;
  readonly monthlyQuota?: number;
  readonly rateLimit?: number;
  readonly env?: Environment;
}

export async function changePlan(tenant: string, options: ChangePlanOptions): Promise<void> {
  const changes: Partial<AccountTerms> = {
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(options.dailyCap === undefined ? {} : { dailySpendCapCredits: options.dailyCap }),
    ...(options.monthlyQuota === undefined ? {} : { monthlyCreditQuota: options.monthlyQuota }),
    ...(options.rateLimit === undefined ? {} : { rateLimitPerMin: options.rateLimit }),
  };
  if (Object.keys(changes).length === 0) {
    throw new CliError('nothing is to be changed: use --plan, --daily-cap, --monthly-quota or --rate-limit');
  }
  await using operator = Operator.connect();
  const accounts = [];
  for (const env of await accountsOf(operator, tenant, options.env)) {
    await changeTenantTerms(operator.accounts, operator.context(env, tenant), changes);
    accounts.push(describe(env, (await operator.account(env, tenant)).terms));
  }
  if (options.json) printJson({ tenant_id: tenant, accounts });
  else
    printTable(
      ['environment', 'plan', 'daily cap', 'monthly quota', 'requests/min'],
      accounts.map((account) => [
        account.env,
        account.plan,
        account.daily_spend_cap_credits || 'none',
        account.monthly_credit_quota || 'none',
        account.rate_limit_per_min,
      ]),
    );
}

function describe(env: Environment, terms: AccountTerms) {
  return {
    env,
    plan: terms.plan,
    daily_spend_cap_credits: terms.dailySpendCapCredits,
    monthly_credit_quota: terms.monthlyCreditQuota,
    rate_limit_per_min: terms.rateLimitPerMin,
  };
}

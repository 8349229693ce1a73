import { defaultTerms, grantCredits, openTenantAccount } from '#application/account/tenants.js';
import type { AccountTerms } from '#domain/account/account.events.js';
import { environments, type Environment } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printProperties } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface CreateTenantOptions extends OutputOptions {
  readonly name: string;
  /** Granted in each environment. */
  readonly credits: number;
  readonly plan?: string;
  readonly dailyCap?: number;
  readonly rateLimit?: number;
  readonly env?: Environment;
}

export async function createTenant(options: CreateTenantOptions): Promise<void> {
  await using operator = Operator.connect();
  const tenant = newId();
  const terms: AccountTerms = {
    ...defaultTerms,
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(options.dailyCap === undefined ? {} : { dailySpendCapCredits: options.dailyCap }),
    ...(options.rateLimit === undefined ? {} : { rateLimitPerMin: options.rateLimit }),
  };
  const balances: Partial<Record<Environment, number>> = {};
  for (const environment of options.env ? [options.env] : environments) {
    const position = await open(operator, environment, tenant, options, terms);
    await operator.caughtUp(environment, 'ledger', position);
    balances[environment] = options.credits;
  }
  print(options, tenant, terms, balances);
}

async function open(
  operator: Operator,
  environment: Environment,
  tenant: string,
  { name, credits }: CreateTenantOptions,
  terms: AccountTerms,
): Promise<bigint | undefined> {
  const opened = await openTenantAccount(operator.accounts, operator.context(environment, tenant), {
    name,
    terms,
  });
  if (opened.kind === 'rejected')
    throw new CliError(`the account could not be opened: ${opened.rejection.code}`);
  if (credits === 0) return opened.position;
  const purchase = { amount: credits, kind: 'pack', label: 'Opening credits' } as const;
  const granted = await grantCredits(operator.accounts, operator.context(environment, tenant), purchase);
  if (granted.kind === 'rejected')
    throw new CliError(`the credits could not be granted: ${granted.rejection.code}`);
  return granted.position;
}

function print(
  { json, name }: CreateTenantOptions,
  tenant: string,
  terms: AccountTerms,
  balances: Partial<Record<Environment, number>>,
): void {
  const { plan, dailySpendCapCredits, rateLimitPerMin } = terms;
  if (json) {
    printJson({
      tenant_id: tenant,
      name,
      plan,
      daily_spend_cap_credits: dailySpendCapCredits,
      rate_limit_per_min: rateLimitPerMin,
      balances,
    });
    return;
  }
  printProperties([
    ['tenant', tenant],
    ['name', name],
    ['plan', plan],
    ['daily cap', dailySpendCapCredits || 'none'],
    ['requests a minute', rateLimitPerMin],
    ...Object.entries(balances).map(
      ([environment, balance]) => [`balance in ${environment}`, balance] as const,
    ),
  ]);
}

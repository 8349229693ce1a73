import {
  ChangePlan,
  defaultTerms,
  GrantCredits,
  OpenAccount,
  ReactivateAccount,
  SuspendAccount,
  type Purchase,
} from '#application/account/manage-accounts.handler.js';
import type { CommandContext } from '#application/command-context.js';
import type { AccountTerms } from '#domain/account/account.events.js';
import { spentToday, type OpenedAccount } from '#domain/account/account.js';
import { environments, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { noSuchTenant, Operator } from '../operator.js';
import { printJson, printLine, printProperties, printTable } from '../output.js';
import { environmentsOf } from '../places.js';
import { CliError, type EnvironmentOptions, type OutputOptions } from '../verb.js';

interface TermsOptions extends EnvironmentOptions {
  readonly plan?: string;
  readonly dailyCap?: number;
  readonly monthlyQuota?: number;
  readonly rateLimit?: number;
}

export interface CreateTenantOptions extends TermsOptions {
  readonly name: string;
  /** Granted in each environment. */
  readonly credits: number;
}

export async function createTenant(options: CreateTenantOptions): Promise<void> {
  const { name, credits } = options;
  await using operator = await Operator.connect();
  const tenant = newId();
  const terms: AccountTerms = { ...defaultTerms, ...namedTerms(options) };
  const balances: Partial<Record<Environment, number>> = {};
  for (const environment of environmentsOf(options.env)) {
    const opening = new OpenAccount(operator.context(environment, tenant), { name, terms });
    const opened = await operator.execute(opening);
    if (opened.kind === 'rejected')
      throw new CliError(`the account could not be opened: ${opened.rejection.code}`);
    let { position } = opened;
    if (credits > 0) {
      const purchase = { amount: credits, kind: 'pack', label: 'Opening credits' } as const;
      position = await grant(operator, environment, tenant, purchase);
    }
    await operator.caughtUp(environment, 'ledger', position);
    balances[environment] = credits;
  }
  const { plan, dailySpendCapCredits: dailyCap, rateLimitPerMin } = terms;
  if (options.json) {
    printJson({
      ...{ tenant_id: tenant, name, plan, daily_spend_cap_credits: dailyCap },
      ...{ rate_limit_per_min: rateLimitPerMin, balances },
    });
    return;
  }
  printProperties([
    ['tenant', tenant],
    ['name', name],
    ['plan', plan],
    ['daily cap', dailyCap || 'none'],
    ['requests a minute', rateLimitPerMin],
    ...Object.entries(balances).map(
      ([environment, balance]) => [`balance in ${environment}`, balance] as const,
    ),
  ]);
}

export async function showTenant(tenant: string, { json }: OutputOptions): Promise<void> {
  await using operator = await Operator.connect();
  const now = systemClock();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const accounts = [];
  for (const environment of environments) {
    const account = await operator.findAccount(environment, tenant);
    if (!account) continue;
    const described = describeAccount(account, now.toISOString());
    const ledger = await operator.ledger(environment);
    accounts.push({ environment, ...described, monthly_spend: await ledger.spentSince(tenant, month) });
  }
  const [first] = accounts;
  if (!first) throw noSuchTenant(tenant);
  const balances = Object.fromEntries(accounts.map(({ environment, balance }) => [environment, balance]));
  if (json) return printJson({ tenant_id: tenant, name: first.name, plan: first.plan, balances, accounts });
  printTable(accounts, {
    environment: (account) => account.environment,
    name: (account) => account.name,
    status: (account) => account.status,
    balance: (account) => account.balance,
    'open charges': (account) => account.open_charges,
    'spent today': (account) => account.daily_spend_today,
    'daily cap': (account) => account.daily_spend_cap_credits || 'none',
    'this month': (account) => account.monthly_spend,
    'monthly quota': (account) => account.monthly_credit_quota || 'none',
    plan: (account) => account.plan,
    'requests/min': (account) => account.rate_limit_per_min,
  });
}

export async function changeTenantTerms(tenant: string, options: TermsOptions): Promise<void> {
  const changes = namedTerms(options);
  if (Object.keys(changes).length === 0)
    throw new CliError('nothing to change: use --plan, --daily-cap, --monthly-quota or --rate-limit');
  await using operator = await Operator.connect();
  const accounts = [];
  for (const env of await operator.accountsOf(tenant, options.env)) {
    await operator.execute(new ChangePlan(operator.context(env, tenant), changes));
    accounts.push({ env, ...describeTerms((await operator.account(env, tenant)).terms) });
  }
  if (options.json) return printJson({ tenant_id: tenant, accounts });
  printTable(accounts, {
    environment: (account) => account.env,
    plan: (account) => account.plan,
    'daily cap': (account) => account.daily_spend_cap_credits || 'none',
    'monthly quota': (account) => account.monthly_credit_quota || 'none',
    'requests/min': (account) => account.rate_limit_per_min,
  });
}

/** Suspending a suspended tenant changes nothing; the same goes for the reverse. */
export async function suspendTenant(
  tenant: string,
  options: EnvironmentOptions & { readonly reason: string },
): Promise<void> {
  const { reason } = options;
  await changeStatus(tenant, 'suspended', options, (context) => new SuspendAccount(context, reason));
}

export async function reactivateTenant(tenant: string, options: EnvironmentOptions): Promise<void> {
  await changeStatus(tenant, 'active', options, (context) => new ReactivateAccount(context));
}

async function changeStatus(
  tenant: string,
  status: 'active' | 'suspended',
  { env, json }: EnvironmentOptions,
  command: (context: CommandContext) => SuspendAccount | ReactivateAccount,
): Promise<void> {
  await using operator = await Operator.connect();
  const environments = await operator.accountsOf(tenant, env);
  for (const each of environments) await operator.execute(command(operator.context(each, tenant)));
  if (json) printJson({ tenant_id: tenant, status, environments });
  else printLine(`Tenant ${tenant} is ${status} in ${environments.join(' and ')}.`);
}

export interface GrantOptions extends OutputOptions, Purchase {
  readonly tenant: string;
  readonly env: Environment;
}

export async function grantTenantCredits(options: GrantOptions): Promise<void> {
  const { tenant, env, amount, kind, label, json } = options;
  await using operator = await Operator.connect();
  await operator.account(env, tenant);
  await operator.caughtUp(env, 'ledger', await grant(operator, env, tenant, { amount, kind, label }));
  const { balance } = await operator.account(env, tenant);
  if (json) printJson({ tenant_id: tenant, env, kind, label, amount, balance });
  else printLine(`${amount} credits granted to ${tenant} in ${env}; the balance is now ${balance}.`);
}

/** @returns the position of the purchase in the log */
async function grant(
  operator: Operator,
  environment: Environment,
  tenant: string,
  purchase: Purchase,
): Promise<bigint | undefined> {
  const context = operator.context(environment, tenant);
  const granted = await operator.execute(new GrantCredits(context, purchase));
  if (granted.kind === 'accepted') return granted.position;
  const { rejection } = granted;
  throw new CliError(
    'message' in rejection ? rejection.message : `the credits could not be granted: ${rejection.code}`,
  );
}

function namedTerms({ plan, dailyCap, monthlyQuota, rateLimit }: TermsOptions): Partial<AccountTerms> {
  return {
    ...(plan !== undefined && { plan }),
    ...(dailyCap !== undefined && { dailySpendCapCredits: dailyCap }),
    ...(monthlyQuota !== undefined && { monthlyCreditQuota: monthlyQuota }),
    ...(rateLimit !== undefined && { rateLimitPerMin: rateLimit }),
  };
}

function describeAccount(account: OpenedAccount, at: string) {
  const { name, status, balance, terms, charges } = account;
  const { plan, ...limits } = describeTerms(terms);
  const spent = { daily_spend_today: spentToday(account, at) };
  return { name, status, balance, open_charges: charges.entries().length, plan, ...spent, ...limits };
}

function describeTerms(terms: AccountTerms) {
  return {
    plan: terms.plan,
    daily_spend_cap_credits: terms.dailySpendCapCredits,
    monthly_credit_quota: terms.monthlyCreditQuota,
    rate_limit_per_min: terms.rateLimitPerMin,
  };
}

import { spentToday, type OpenedAccount } from '#domain/account/account.js';
import { environments } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { withLedger } from '../with-ledger.js';

export async function showTenant(tenant: string, { json }: OutputOptions): Promise<void> {
  await using operator = Operator.connect();
  const now = systemClock();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const found = [];
  for (const environment of environments) {
    const { state } = await operator.accounts.read(environment, tenant);
    if (state.status === 'unopened') continue;
    const spent = await withLedger(operator.connections, environment, (ledger) =>
      ledger.spentSince(tenant, month),
    );
    found.push({ environment, ...describe(state, now.toISOString()), monthly_spend: spent });
  }
  const [first] = found;
  if (!first)
    throw new CliError(`there is no tenant ${tenant}: "atelier tenants create" makes one and prints its id`);
  const balances = Object.fromEntries(found.map(({ environment, balance }) => [environment, balance]));
  if (json) {
    printJson({ tenant_id: tenant, name: first.name, plan: first.plan, balances, accounts: found });
    return;
  }
  printTable(
    [
      'environment',
      'name',
      'status',
      'balance',
      'open charges',
      'spent today',
      'daily cap',
      'this month',
      'monthly quota',
      'plan',
      'requests/min',
    ],
    found.map((account) => [
      account.environment,
      account.name,
      account.status,
      account.balance,
      account.open_charges,
      account.daily_spend_today,
      account.daily_spend_cap_credits || 'none',
      account.monthly_spend,
      account.monthly_credit_quota || 'none',
      account.plan,
      account.rate_limit_per_min,
    ]),
  );
}

function describe(account: OpenedAccount, at: string) {
  const { name, status, balance, terms, charges } = account;
  return {
    name,
    status,
    balance,
    open_charges: charges.entries().length,
    plan: terms.plan,
    daily_spend_today: spentToday(account, at),
    daily_spend_cap_credits: terms.dailySpendCapCredits,
    monthly_credit_quota: terms.monthlyCreditQuota,
    rate_limit_per_min: terms.rateLimitPerMin,
  };
}

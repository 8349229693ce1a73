import {
  ChangePlan,
  defaultTerms,
  GrantCredits,
  OpenAccount,
  ReactivateAccount,
  SuspendAccount,
} from '#application/account/manage-accounts.handler.js';
import type { CommandContext } from '#application/command-context.js';
import type { AccountTerms } from '#domain/account/account.events.js';
import { spentToday, type OpenedAccount } from '#domain/account/account.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix, environments, type Environment } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { derivedId, newId } from '#platform/ids.js';
import { id, IdField, IntegerField, ListField, TextField } from '#validation/fields.js';
import { ledgerOf } from '#operator-calls/ledger-of.js';
import { defineCall } from '#operator-calls/call.js';
import {
  InEnvironment,
  OfTenant,
  OfTenantInEnvironment,
  PageInEnvironment,
  printRest,
  environmentsOf,
} from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import { noSuchTenant } from '../connected-operator.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { CallRefused } from '#operator-calls/call-refused.js';

/** More credits than this at once are a typing error. */
export const mostCreditsAtOnce = 1_000_000_000;

class Terms extends InEnvironment {
  @TextField({ description: 'Name of the plan.', min: 1, max: 64 })
  plan?: string;

  @IntegerField({
    description: 'Most credits that the tenant may spend in 24 hours; 0: no cap.',
    min: 0,
    max: mostCreditsAtOnce,
  })
  daily_cap?: number;

  @IntegerField({
    description: 'Credits of the plan for a month; 0: pay as you go.',
    min: 0,
    max: mostCreditsAtOnce,
  })
  monthly_quota?: number;

  @IntegerField({ description: 'Requests a minute, per key.', min: 1, max: 1_000_000 })
  rate_limit?: number;
}

class NewTenant extends Terms {
  @TextField({ description: 'Name of the customer.', min: 1, max: 128, required: true })
  name: string;

  @IntegerField({
    description: 'Credits to begin with, in each environment.',
    required: true,
    min: 0,
    max: mostCreditsAtOnce,
  })
  credits: number;
}

class TermsOfTenant extends Terms {
  @IdField({ description: 'The tenant.', required: true })
  tenant: string;
}

export const createTenant = defineCall({
  name: 'tenants create',
  route: 'POST /tenants',
  may: ['finance'],
  summary: 'Open an account, in both environments unless `env` says which',
  input: NewTenant,
  idempotent: 'if-sent',
  async run(operator, input, { idempotencyKey: key, requestedAt }) {
    const { name, credits } = input;
    const { secondOperatorAbove: limit } = operator.configuration.admin;
    if (limit !== undefined && credits > limit)
      throw new CallRefused(
        `more than ${limit} credits need a second operator: open the account with fewer, then use "atelier credits grant"`,
      );
    // The same request always makes the same tenant, even if it is repeated or was interrupted by a crash.
    const madeAt = requestedAt?.getTime() ?? Date.now();
    const tenant = key === undefined ? newId() : derivedId(`tenant ${operator.name} ${key}`, madeAt);
    let replayed = false;
    const terms: AccountTerms = { ...defaultTerms, ...namedTerms(input) };
    const balances: Partial<Record<Environment, number>> = {};
    for (const environment of environmentsOf(input.env)) {
      const opening = new OpenAccount(operator.context(environment, tenant), { name, terms });
      const opened = await operator.execute(opening);
      replayed = opened.kind === 'rejected' && opened.rejection.code === 'ACCOUNT_ALREADY_OPEN';
      if (opened.kind === 'rejected' && !replayed)
        throw new CallRefused(`the account could not be opened: ${opened.rejection.code}`);
      let position = opened.kind === 'rejected' ? undefined : opened.position;
      if (credits > 0) {
        const purchase = {
          ...({ amount: credits, kind: 'pack', label: 'Opening credits' } as const),
          // The account remembers it.
          grantId: tenant,
          purchaseId: derivedId(`opening credits ${environment} ${tenant}`, madeAt),
        };
        const granted = await operator.execute(
          new GrantCredits(operator.context(environment, tenant), purchase),
        );
        if (granted.kind === 'rejected')
          throw new CallRefused(`the credits could not be granted: ${granted.rejection.code}`);
        position = granted.position;
      }
      await operator.caughtUp(environment, 'ledger', position);
      balances[environment] = credits;
    }
    const { plan, dailySpendCapCredits, rateLimitPerMin } = terms;
    return {
      tenant_id: tenant,
      name,
      plan,
      daily_spend_cap_credits: dailySpendCapCredits,
      rate_limit_per_min: rateLimitPerMin,
      balances,
      replayed,
    };
  },
  summarise: ({ tenant_id }) => `tenant ${tenant_id}`,
  print: ({ tenant_id, name, plan, daily_spend_cap_credits, rate_limit_per_min, balances }) =>
    printProperties([
      ['tenant', tenant_id],
      ['name', name],
      ['plan', plan],
      ['daily cap', daily_spend_cap_credits || 'none'],
      ['requests a minute', rate_limit_per_min],
      ...Object.entries(balances).map(
        ([environment, balance]) => [`balance in ${environment}`, balance] as const,
      ),
    ]),
});

class TenantSearch extends PageInEnvironment {
  @TextField({ description: 'A part of the name or of the id.', min: 1, max: 128 })
  search?: string;

  @ListField({ description: 'Only these tenants; none: all.', items: id, max: 200 })
  tenant: string[] = [];
}

/**
 * Lists tenants from the log itself, so no read model has to know them. Balances are read for the page only.
 */
export const listTenants = defineCall({
  name: 'tenants list',
  route: 'GET /tenants',
  may: ['read'],
  summary: 'The tenants, the latest first, with their balances',
  input: TenantSearch,
  async run(operator, { env, search = '', tenant: wanted, limit, offset }) {
    const filter = {
      streamPrefixes: environmentsOf(env).map((each) => categoryPrefix(each, 'account')),
      types: ['AccountOpened'],
    };
    const found = new Map<string, string>();
    for (const recorded of await operator.recorded(filter)) {
      const { type, data } = decode(recorded);
      if (type === 'AccountOpened') found.set(data.tenant, data.name);
    }
    const sought = search.toLowerCase();
    const matching = [...found].filter(
      (each) =>
        (wanted.length === 0 || wanted.includes(each[0])) &&
        each.some((text) => text.toLowerCase().includes(sought)),
    );
    const tenants = [];
    for (const [tenant, name] of matching.reverse().slice(offset, offset + limit)) {
      const accounts = [];
      for (const each of environmentsOf(env)) {
        const account = await operator.findAccount(each, tenant);
        if (!account) continue;
        const { status, balance, terms } = account;
        accounts.push({ env: each, status, balance, plan: terms.plan });
      }
      tenants.push({ tenant_id: tenant, name, accounts });
    }
    return { tenants, total: matching.length };
  },
  print: ({ tenants, total }, { offset }) => {
    const rows = tenants.flatMap(({ accounts, ...tenant }) =>
      accounts.map((account) => ({ ...tenant, ...account })),
    );
    printTable(rows, {
      tenant: (row) => row.tenant_id,
      name: (row) => row.name,
      environment: (row) => row.env,
      status: (row) => row.status,
      balance: (row) => row.balance,
      plan: (row) => row.plan,
    });
    printRest(offset + tenants.length, total);
  },
});

export const showTenant = defineCall({
  name: 'tenants show',
  route: 'GET /tenants/:tenant',
  may: ['read'],
  summary: 'Balances and terms of a tenant',
  input: OfTenant,
  async run(operator, { tenant }) {
    const now = systemClock();
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const accounts = [];
    for (const environment of environments) {
      const account = await operator.findAccount(environment, tenant);
      if (!account) continue;
      const described = describeAccount(account, now.toISOString());
      const ledger = await ledgerOf(operator, environment);
      accounts.push({ environment, ...described, monthly_spend: await ledger.spentSince(tenant, month) });
    }
    const [first] = accounts;
    if (!first) throw noSuchTenant(tenant);
    const balances = Object.fromEntries(accounts.map(({ environment, balance }) => [environment, balance]));
    return { tenant_id: tenant, name: first.name, plan: first.plan, balances, accounts };
  },
  print: ({ accounts }) =>
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
    }),
});

export const changeTenantTerms = defineCall({
  name: 'tenants plan',
  route: 'PATCH /tenants/:tenant',
  may: ['finance'],
  summary: 'Change terms of a tenant; terms that you leave out stay as they are',
  input: TermsOfTenant,
  async run(operator, input) {
    const { tenant, env } = input;
    const changes = namedTerms(input);
    if (Object.keys(changes).length === 0)
      throw new CallRefused('nothing to change: use --plan, --daily-cap, --monthly-quota or --rate-limit');
    const accounts = [];
    for (const each of await operator.accountsOf(tenant, env)) {
      await operator.execute(new ChangePlan(operator.context(each, tenant), changes));
      accounts.push({ env: each, ...describeTerms((await operator.account(each, tenant)).terms) });
    }
    return { tenant_id: tenant, accounts };
  },
  print: ({ accounts }) =>
    printTable(accounts, {
      environment: (account) => account.env,
      plan: (account) => account.plan,
      'daily cap': (account) => account.daily_spend_cap_credits || 'none',
      'monthly quota': (account) => account.monthly_credit_quota || 'none',
      'requests/min': (account) => account.rate_limit_per_min,
    }),
});

class Suspension extends OfTenantInEnvironment {
  @TextField({ description: 'Why, for the record.', min: 1, max: 200 })
  reason: string = 'suspended by the operator';
}

/** Suspending a suspended tenant changes nothing; the same goes for the reverse. */
export const suspendTenant = defineCall({
  name: 'tenants suspend',
  route: 'POST /tenants/:tenant/suspend',
  may: ['support', 'finance'],
  summary: 'Refuse the dispatches of a tenant; reading goes on',
  input: Suspension,
  run: (operator, { reason, ...input }) =>
    changeStatus(operator, input, 'suspended', (context) => new SuspendAccount(context, { reason })),
  print: printStatus,
});

export const reactivateTenant = defineCall({
  name: 'tenants reactivate',
  route: 'POST /tenants/:tenant/reactivate',
  may: ['support', 'finance'],
  summary: 'Accept the dispatches of a suspended tenant again',
  input: OfTenantInEnvironment,
  run: (operator, input) =>
    changeStatus(operator, input, 'active', (context) => new ReactivateAccount(context)),
  print: printStatus,
});

async function changeStatus(
  operator: Operator,
  { tenant, env }: OfTenantInEnvironment,
  status: 'active' | 'suspended',
  command: (context: CommandContext) => SuspendAccount | ReactivateAccount,
) {
  const open = await operator.accountsOf(tenant, env);
  for (const each of open) await operator.execute(command(operator.context(each, tenant)));
  return { tenant_id: tenant, status, environments: open };
}

function printStatus({
  tenant_id,
  status,
  environments: where,
}: Awaited<ReturnType<typeof changeStatus>>): void {
  printLine(`Tenant ${tenant_id} is ${status} in ${where.join(' and ')}.`);
}

function namedTerms(terms: Terms): Partial<AccountTerms> {
  const { plan, daily_cap: dailyCap, monthly_quota: monthlyQuota, rate_limit: rateLimit } = terms;
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

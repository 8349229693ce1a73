import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { count, Credits, Id, Status, Time } from '../shared/format.js';
import { Action, Facts, Loaded, numberOf, Page, Section, Select, textOf, TextField } from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';
import { ClosingLink, useClosing } from './closings.js';
import { keyOf, OnceField } from './once.js';
import { environmentOf, environmentOptions, useEnvironment } from './environment.js';
import { Keys } from './keys.js';
import { limitsOf, TermsFields } from './tenants.js';
import { Webhooks } from './webhooks.js';

type Account = Schemas['TenantsShowResult']['accounts'][number];

export function TenantPage() {
  const { tenant = '' } = useParams();
  const path = { params: { path: { tenant } } };
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}', path);
  return (
    <Page
      title={query.data?.name ?? 'Tenant'}
      lead={<Id id={tenant} whole />}
      actions={
        <>
          <Link className="button" href={`/tenants/${tenant}/ledger`}>
            Ledger
          </Link>
          <Link className="button" href={`/tenants/${tenant}/data`}>
            Data
          </Link>
          <Link className="button" href={`/jobs?tenant=${tenant}`}>
            Jobs
          </Link>
          <Link className="button" href={`/pictures?tenant=${tenant}`}>
            Pictures
          </Link>
        </>
      }
    >
      <Loaded query={query}>
        {({ accounts }) => (
          <>
            {accounts.map((account) => (
              <AccountFacts key={account.environment} tenant={tenant} account={account} />
            ))}
            <Section title="Change" lead="Each change is an event with your name in it.">
              <div className="actions">
                <Grant tenant={tenant} accounts={accounts} />
                <Correct tenant={tenant} accounts={accounts} />
                <Terms tenant={tenant} accounts={accounts} />
                <Suspend tenant={tenant} accounts={accounts} />
              </div>
            </Section>
            <Keys tenant={tenant} environments={environmentsIn(accounts)} />
            <Webhooks tenant={tenant} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function AccountFacts({ tenant, account }: { tenant: string; account: Account }) {
  const { environment, status, balance, open_charges: open, plan, rate_limit_per_min: rate } = account;
  const { daily_spend_today: today, daily_spend_cap_credits: cap } = account;
  const { monthly_spend: month, monthly_credit_quota: quota } = account;
  const { closing } = useClosing({ tenant, env: environment });
  return (
    <Section title={environment === 'live' ? 'Live' : 'Test'}>
      <Facts
        of={[
          ['State', <Status key="state" of={status} />],
          ['Closing', closing && <ClosingLink key="closing" of={closing} />],
          ['Erased after', closing?.due_at && <Time key="due" at={closing.due_at} whole />],
          ['Balance', <Credits key="balance" value={balance} />],
          ['Open charges', count(open)],
          ['Spent today', `${count(today)} ${cap > 0 ? `of ${count(cap)}` : '(no cap)'}`],
          ['Spent this month', `${count(month)} ${quota > 0 ? `of ${count(quota)}` : '(pay as you go)'}`],
          ['Plan', plan],
          ['Requests a minute', count(rate)],
        ]}
      />
    </Section>
  );
}

interface MoneyParts {
  readonly tenant: string;
  readonly accounts: readonly Account[];
}

/** The key is made when the dialog opens, so that a second press makes no second payment. */
function Grant({ tenant, accounts }: MoneyParts) {
  const grant = async (form: FormData) => {
    const { amount, balance, status, grant_id } = await change(
      client.POST('/admin/v1/tenants/{tenant}/credits', {
        params: { path: { tenant }, header: keyOf(form) },
        body: {
          env: environmentOf(form) ?? 'live',
          amount: numberOf(form, 'amount') ?? 0,
          kind: form.get('kind') === 'subscription' ? 'subscription' : 'pack',
          label: textOf(form, 'label') ?? '',
          reference: textOf(form, 'reference'),
        },
      }),
    );
    if (status === 'credited')
      return `${count(amount)} credits were added. The balance is ${count(balance)}.`;
    return (
      <p>
        This many credits need a second operator’s approval. They wait as grant <Id id={grant_id} whole />{' '}
        under <Link href="/grants">Approvals</Link>. Nothing is credited yet.
      </p>
    );
  };
  return (
    <Action label="Grant credits" title="Grant credits" confirm="Grant them" act={grant}>
      <p className="soft">The ledger shows a grant as a purchase.</p>
      <OnceField />
      <AmountFields accounts={accounts} />
      <Select
        label="Kind"
        name="kind"
        options={[
          ['pack', 'a pack'],
          ['subscription', 'a month of a subscription'],
        ]}
      />
      <TextField label="Text in the ledger" name="label" placeholder="Invoice 17" required />
      <TextField
        label="Payment reference (optional)"
        name="reference"
        hint="The same reference is credited only once."
      />
    </Action>
  );
}

function Correct({ tenant, accounts }: MoneyParts) {
  const correct = async (form: FormData) => {
    const { amount, balance } = await change(
      client.POST('/admin/v1/tenants/{tenant}/corrections', {
        params: { path: { tenant }, header: keyOf(form) },
        body: {
          env: environmentOf(form) ?? 'live',
          amount: numberOf(form, 'amount') ?? 0,
          reason: textOf(form, 'reason') ?? '',
        },
      }),
    );
    return `${count(amount)} credits were taken back. The balance is ${count(balance)}.`;
  };
  return (
    <Action label="Take credits back" title="Take credits back" confirm="Take them back" danger act={correct}>
      <p className="soft">For credits that should not have been granted. The balance never falls below 0.</p>
      <OnceField />
      <AmountFields accounts={accounts} />
      <TextField label="Why, for the ledger" name="reason" required />
    </Action>
  );
}

/** The amount, the tenant's account, and its balance now. */
function AmountFields({ accounts }: Pick<MoneyParts, 'accounts'>) {
  const { env } = useEnvironment();
  const known = accounts.some(({ environment }) => environment === env) ? env : accounts[0]?.environment;
  const [chosen, choose] = useState<string>(known ?? 'live');
  const account = accounts.find(({ environment }) => environment === chosen);
  return (
    <div className="columns">
      <TextField label="Credits" name="amount" type="number" min={1} required />
      <Select
        label="Environment"
        name="env"
        value={chosen}
        onChange={choose}
        options={environmentOptions(environmentsIn(accounts))}
        hint={account && `The balance in ${chosen} is ${count(account.balance)}.`}
      />
    </div>
  );
}

const environmentsIn = (accounts: readonly Account[]) => accounts.map(({ environment }) => environment);

function Terms({ tenant, accounts }: MoneyParts) {
  const renew = async (form: FormData) => {
    const body = { env: environmentOf(form), plan: textOf(form, 'plan'), ...limitsOf(form) };
    await change(client.PATCH('/admin/v1/tenants/{tenant}', { params: { path: { tenant } }, body }));
    return 'The terms are changed.';
  };
  return (
    <Action label="Change terms" title="Change terms" confirm="Change them" act={renew}>
      <p className="soft">They apply from the next dispatch on. Empty fields do not change.</p>
      <Select label="Environment" name="env" options={environmentOptions(environmentsIn(accounts), true)} />
      <TermsFields />
    </Action>
  );
}

function Suspend({ tenant, accounts }: MoneyParts) {
  const params = { params: { path: { tenant } } };
  const suspend = async (form: FormData) => {
    const body = { env: environmentOf(form), reason: textOf(form, 'reason') };
    await change(client.POST('/admin/v1/tenants/{tenant}/suspend', { ...params, body }));
    return 'The tenant is suspended.';
  };
  const reactivate = async (form: FormData) => {
    const body = { env: environmentOf(form) };
    await change(client.POST('/admin/v1/tenants/{tenant}/reactivate', { ...params, body }));
    return 'The tenant is active again.';
  };
  const where = (
    <Select label="Environment" name="env" options={environmentOptions(environmentsIn(accounts), true)} />
  );
  return (
    <>
      {accounts.some(({ status }) => status === 'active') && (
        <Action label="Suspend" title="Suspend the tenant" confirm="Suspend" danger act={suspend}>
          <p>Its dispatches are refused from now on. Running jobs go on, and so do reads.</p>
          {where}
          <TextField label="Why, for the record" name="reason" />
        </Action>
      )}
      {accounts.some(({ status }) => status === 'suspended') && (
        <Action label="Reactivate" title="Reactivate the tenant" confirm="Reactivate" act={reactivate}>
          <p>Its dispatches are accepted again.</p>
          {where}
        </Action>
      )}
    </>
  );
}

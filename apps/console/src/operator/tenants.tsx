import { keepPreviousData } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useFilters } from '../shared/filters.js';
import { count, Credits, Id, Status } from '../shared/format.js';
import { Action, Facts, Loaded, numberOf, Page, Select, Table, textOf, TextField } from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';
import { allEnvironments, environmentOf, environmentOptions, useEnvironment } from './environment.js';
import { OffsetPages } from './filters.js';

type Tenant = Schemas['TenantsListResult']['tenants'][number];

const limit = 50;

export function TenantsPage() {
  const { env } = useEnvironment();
  const { value, set, offset } = useFilters();
  const search = value('search') || undefined;
  const query = api.useQuery(
    'get',
    '/admin/v1/tenants',
    { params: { query: { env, search, limit, offset } } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Page
      title="Tenants"
      lead={query.data ? `${count(query.data.total)} in this list, latest first` : 'The latest first'}
      actions={<NewTenant />}
    >
      <div className="filters">
        <TextField label="Name or id" value={value('search')} onChange={set('search')} placeholder="any" />
      </div>
      <Loaded query={query} lines={10}>
        {({ tenants, total }) => (
          <>
            <Table
              label="Tenants"
              rows={tenants.flatMap(({ accounts, ...tenant }) =>
                accounts.map((account) => ({ ...tenant, ...account })),
              )}
              keyOf={({ tenant_id, env: of }) => `${tenant_id} ${of}`}
              empty="No tenant has this name. “Open an account” adds one."
              columns={[
                {
                  head: 'name',
                  cell: ({ name, tenant_id: id }: Row) => <Link href={`/tenants/${id}`}>{name}</Link>,
                },
                { head: 'id', cell: ({ tenant_id: id }) => <Id id={id} /> },
                { head: 'in', cell: ({ env: of }) => of },
                { head: 'state', cell: ({ status }) => <Status of={status} /> },
                { head: 'plan', cell: ({ plan }) => plan },
                { head: 'balance', number: true, cell: ({ balance }) => <Credits value={balance} /> },
              ]}
            />
            <OffsetPages
              limit={limit}
              offset={offset}
              shown={tenants.length}
              total={total}
              go={set('offset')}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Row = Omit<Tenant, 'accounts'> & Tenant['accounts'][number];

function NewTenant() {
  const open = async (form: FormData) => {
    const body = {
      name: textOf(form, 'name') ?? '',
      credits: numberOf(form, 'credits') ?? 0,
      env: environmentOf(form),
      plan: textOf(form, 'plan'),
      ...limitsOf(form),
    };
    const { tenant_id: id, balances } = await change(client.POST('/admin/v1/tenants', { body }));
    return (
      <>
        <p>
          The account of {body.name} is open. <Link href={`/tenants/${id}`}>Issue its first key</Link>.
        </p>
        <Facts
          of={[
            ['Tenant', <Id key="id" id={id} whole />],
            ...Object.entries(balances).map(
              ([env, balance]) => [`Balance in ${env}`, <Credits key={env} value={balance} />] as const,
            ),
          ]}
        />
      </>
    );
  };
  return (
    <Action label="Open an account" title="Open an account" confirm="Open it" act={open}>
      <p className="soft">
        The credits are the opening balance in each environment. The ledger shows them as a purchase.
      </p>
      <TextField label="Name of the customer" name="name" required />
      <div className="columns">
        <TextField label="Credits to begin with" name="credits" type="number" min={0} initial="0" required />
        <Select label="Environment" name="env" options={environmentOptions(allEnvironments, true)} />
      </div>
      <TermsFields />
    </Action>
  );
}

/** An empty field keeps its value, or takes the installation's default. */
export function TermsFields() {
  return (
    <div className="columns">
      <TextField label="Plan" name="plan" />
      <TextField label="Most credits a day" name="daily_cap" type="number" min={0} hint="0: no cap" />
      <TextField label="Credits a month" name="monthly_quota" type="number" min={0} hint="0: pay as you go" />
      <TextField label="Requests a minute" name="rate_limit" type="number" min={1} hint="for each key" />
    </div>
  );
}

export function limitsOf(form: FormData) {
  return {
    daily_cap: numberOf(form, 'daily_cap'),
    monthly_quota: numberOf(form, 'monthly_quota'),
    rate_limit: numberOf(form, 'rate_limit'),
  };
}

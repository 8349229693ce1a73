import { ages, sinceHours, useFilters } from '../shared/filters.js';
import { count, Credits, many } from '../shared/format.js';
import { Loaded, Page, Select, Table } from '../shared/ui.js';
import { api, unhurried } from './api.js';
import { useEnvironment } from './environment.js';
import { TenantLink } from './tenant-name.js';

const groups = [
  ['model', 'model'],
  ['workflow', 'workflow'],
  ['tenant', 'tenant'],
] as const;

/** The amounts that vendors took, beside the credits that callers paid for the same work. */
export function CostsPage() {
  const { env = 'live' } = useEnvironment();
  const { value, set } = useFilters();
  const [by] = groups.find(([group]) => group === value('by')) ?? groups[0];
  const query = api.useQuery(
    'get',
    '/admin/v1/costs',
    { params: { query: { env, by, from: sinceHours(value('hours')) } } },
    unhurried,
  );
  return (
    <Page
      title="Costs"
      lead={`Vendors’ prices for pictures in ${env}, beside the credits charged and refunded`}
    >
      <div className="filters">
        <Select label="By" value={by} onChange={set('by')} options={groups} />
        <Select label="Dispatched" value={value('hours')} onChange={set('hours')} options={ages} />
      </div>
      <Loaded query={query}>
        {({ costs }) => (
          <Table
            label="Costs"
            rows={costs}
            keyOf={({ group }) => group}
            empty="Nothing was dispatched in this time."
            columns={[
              {
                head: by,
                cell: ({ group }) => (by === 'tenant' ? <TenantLink id={group} /> : group),
              },
              { head: 'jobs', number: true, cell: ({ jobs }) => count(jobs) },
              { head: 'credits taken', number: true, cell: (each) => <Credits value={each.credits_taken} /> },
              { head: 'given back', number: true, cell: (each) => <Credits value={each.credits_returned} /> },
              { head: 'calls', number: true, cell: ({ calls }) => count(calls) },
              { head: 'vendors took', number: true, cell: (each) => `${each.price} ${each.currency}` },
              {
                head: 'margin',
                number: true,
                cell: ({ margin, currency }) => margin !== null && `${margin} ${currency}`,
              },
              {
                head: 'refunded and paid',
                number: true,
                cell: ({ lost_jobs: jobs, lost_price: price, currency }) =>
                  jobs > 0 && `${many(jobs, 'job')}, ${price} ${currency}`,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

import { useFilters } from '../shared/filters.js';
import { count, Credits, Id, Status, Time } from '../shared/format.js';
import { Action, Loaded, Page, Section, Select, Table, textOf, TextField } from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';
import { Closings } from './closings.js';
import { useEnvironment } from './environment.js';
import { TenantLink } from './tenant-name.js';

type Grant = Schemas['CreditsGrantsResult']['grants'][number];

const states = [
  ['proposed', 'waiting for approval'],
  ['approved', 'credited'],
  ['declined', 'declined'],
] as const;

export function GrantsPage() {
  const { env } = useEnvironment();
  const { value, set } = useFilters();
  const [status] = states.find(([each]) => each === value('status')) ?? states[0];
  const query = api.useQuery('get', '/admin/v1/grants', { params: { query: { env, status } } });
  return (
    <Page
      title="Approvals"
      lead="Grants above the limit, and closings of tenants, wait here for another operator’s approval"
    >
      <Section title="Grants of credits">
        <div className="filters">
          <Select label="State" value={status} onChange={set('status')} options={states} />
        </div>
        <Loaded query={query}>
          {({ grants }) => (
            <Table
              label="Grants"
              rows={grants.toReversed()}
              keyOf={({ grant_id }) => grant_id}
              empty={
                status === 'proposed'
                  ? 'No grant waits for a second operator.'
                  : 'There is no such grant yet.'
              }
              columns={[
                { head: 'grant', cell: ({ grant_id: id }) => <Id id={id} /> },
                {
                  head: 'tenant',
                  cell: ({ tenant_id: id }) => <TenantLink id={id} />,
                },
                { head: 'in', cell: ({ env: of }) => of },
                { head: 'credits', number: true, cell: ({ amount }) => <Credits value={amount} /> },
                { head: 'label', cell: ({ label }) => label },
                { head: 'payment', cell: ({ reference }) => reference },
                { head: 'by', cell: ({ proposed_by: by }) => by },
                { head: 'at', cell: ({ proposed_at: at }) => <Time at={at} /> },
                { head: 'state', cell: ({ status: is }) => <Status of={is} /> },
                { head: 'decide', cell: (grant) => grant.status === 'proposed' && <Decide grant={grant} /> },
              ]}
            />
          )}
        </Loaded>
      </Section>
      <Closings />
    </Page>
  );
}

function Decide({ grant: { grant_id, env, amount, label, proposed_by: by } }: { grant: Grant }) {
  const params = { params: { path: { grant: grant_id } } };
  const approve = async () => {
    const { balance } = await change(
      client.POST('/admin/v1/grants/{grant}/approve', { ...params, body: { env } }),
    );
    return `${count(amount)} credits were added. The balance is ${count(balance)}.`;
  };
  const decline = async (form: FormData) => {
    const body = { env, reason: textOf(form, 'reason') ?? '' };
    await change(client.POST('/admin/v1/grants/{grant}/decline', { ...params, body }));
    return 'The grant is declined. Nothing was credited.';
  };
  return (
    <span className="actions">
      <Action
        label="Approve"
        title={`Approve ${count(amount)} credits`}
        confirm="Approve"
        small
        act={approve}
      >
        <p>
          {by} proposed them as “{label}”. They are credited at once, and the record names you as well.
        </p>
      </Action>
      <Action
        label="Decline"
        title={`Decline ${count(amount)} credits`}
        confirm="Decline"
        danger
        small
        act={decline}
      >
        <TextField label="Why, for the record" name="reason" required />
      </Action>
    </span>
  );
}

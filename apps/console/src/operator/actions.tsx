import { keepPreviousData } from '@tanstack/react-query';
import { useFilters } from '../shared/filters.js';
import { Id, Status, Time } from '../shared/format.js';
import {
  Action,
  JsonDetails,
  Loaded,
  numberOf,
  Page,
  Section,
  Select,
  Table,
  textOf,
  TextField,
} from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';

export function ActionsPage() {
  const { value, set } = useFilters();
  const sought = { by: value('by') || undefined, action: value('action') || undefined, limit: 100 };
  const query = api.useQuery(
    'get',
    '/admin/v1/actions',
    { params: { query: sought } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Page
      title="Actions"
      lead="All actions by operators, in this console or with the command: who, what, and the outcome"
    >
      <div className="filters">
        <TextField label="By" value={value('by')} onChange={set('by')} placeholder="anybody" />
        <TextField
          label="What"
          value={value('action')}
          onChange={set('action')}
          placeholder="credits grant"
        />
      </div>
      <Loaded query={query} lines={10}>
        {({ actions }) => <ActionsTable label="Actions" actions={actions} empty="No action matches." />}
      </Loaded>
      <Operators />
    </Page>
  );
}

interface ActionsTableParts {
  readonly label: string;
  readonly actions: readonly Schemas['ActionsResult']['actions'][number][];
  readonly empty: string;
}

export function ActionsTable({ label, actions, empty }: ActionsTableParts) {
  return (
    <Table
      label={label}
      rows={actions}
      keyOf={({ action_id }) => action_id}
      empty={empty}
      columns={[
        { head: 'when', cell: ({ at }) => <Time at={at} /> },
        { head: 'who', cell: ({ by }) => by },
        { head: 'by way of', cell: ({ via }) => via },
        { head: 'what', cell: ({ action }) => action },
        { head: 'outcome', cell: ({ outcome }) => <Status of={outcome} /> },
        { head: 'in a line', cell: ({ summary }) => summary },
        { head: 'request', cell: ({ request_id: id }) => <Id id={id} /> },
        { head: 'input', cell: ({ input }) => <JsonDetails of={input} label="asked" /> },
      ]}
    />
  );
}

const roles = [
  ['read', 'read: everything but secrets'],
  ['support', 'support: keys, jobs, webhooks, repairs'],
  ['finance', 'finance: tenants, credits, prices'],
  ['admin', 'admin: everything'],
] as const;

const dayMs = 86_400_000;

function Operators() {
  const query = api.useQuery('get', '/admin/v1/operators', {});
  const add = async (form: FormData) => {
    const role = roles.find(([each]) => each === form.get('role'))?.[0] ?? 'read';
    const body = { name: textOf(form, 'name') ?? '', role, expires: (numberOf(form, 'days') ?? 90) * dayMs };
    const { name, token } = await change(client.POST('/admin/v1/operators', { body }));
    return (
      <>
        <p>
          <strong>The token of {name} is shown only now.</strong>
        </p>
        <code className="secret">{token}</code>
      </>
    );
  };
  return (
    <Section
      title="Operators"
      actions={
        <Action label="Add an operator" title="Add an operator" confirm="Add" small act={add}>
          <TextField label="Name" name="name" hint="small letters and digits, as in ada.lovelace" required />
          <Select label="May" name="role" options={roles} />
          <TextField label="For how many days" name="days" type="number" min={1} initial="90" required />
        </Action>
      }
    >
      <Loaded query={query} lines={3}>
        {({ operators }) => (
          <Table
            label="Operators"
            rows={operators}
            keyOf={({ name }) => name}
            empty="There is no operator."
            columns={[
              { head: 'name', cell: ({ name }) => name },
              { head: 'role', cell: ({ role }) => role },
              { head: 'state', cell: ({ status }) => <Status of={status} /> },
              { head: 'login', cell: ({ login }) => login },
              { head: 'until', cell: ({ expires_at: at }) => <Time at={at} whole /> },
              { head: 'change', cell: ({ name, status }) => status === 'active' && <Revoke name={name} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Revoke({ name }: { name: string }) {
  const revoke = async (form: FormData) => {
    const body = { reason: textOf(form, 'reason') };
    await change(client.POST('/admin/v1/operators/{name}/revoke', { params: { path: { name } }, body }));
    return `${name} is no longer an operator.`;
  };
  return (
    <Action label="Revoke" title={`Revoke ${name}`} confirm="Revoke" danger small act={revoke}>
      <p>The server refuses their token from the next request on.</p>
      <TextField label="Why, for the record" name="reason" />
    </Action>
  );
}

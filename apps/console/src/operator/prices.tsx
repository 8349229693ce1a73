import { Credits, Status, Time } from '../shared/format.js';
import {
  Action,
  Loaded,
  numberOf,
  Page,
  Section,
  Table,
  textOf,
  TextField,
  type Column,
} from '../shared/ui.js';
import { ActionsTable } from './actions.js';
import { api, change, client, type Schemas } from './api.js';
import { inWords, onlyOne, together, useEnvironment, type Together } from './environment.js';
import type { paths } from './openapi.js';

type Listed = Schemas['OperationsListResult']['operations'][number];
type Operation = Together<Listed>;
type OnePath = paths['/admin/v1/operations/{name}/price']['post']['parameters']['path'];
type Scheduled = Operation['scheduled'][number];
type Done = Schemas['ActionsResult']['actions'][number];

/** The workflows, their prices now and later, and who set them. */
export function PricesPage() {
  const { env } = useEnvironment();
  const operations = api.useQuery('get', '/admin/v1/operations', { params: { query: { env } } });
  const changes = api.useQuery('get', '/admin/v1/actions', { params: { query: { action: 'operations' } } });
  return (
    <Page
      title="Prices"
      lead={`Workflows in ${env ?? 'live and test'} and their prices. Past charges do not change.`}
    >
      <Loaded query={operations} lines={14}>
        {({ operations: all }) => (
          <Table
            label="Operations"
            rows={together(all, sameTerms)}
            keyOf={({ name, envs }) => `${name} ${inWords(envs)}`}
            empty="There is no operation."
            columns={operationColumns(changes.data?.actions ?? [])}
          />
        )}
      </Loaded>
      <Section title="Who changed them" lead="In both environments, latest first">
        <Loaded query={changes} lines={3}>
          {({ actions }) => (
            <ActionsTable label="Changes" actions={actions} empty="No price was changed yet." />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

const sameTerms = ({ env: _env, ...terms }: Listed) => JSON.stringify(terms);

const operationColumns = (changes: readonly Done[]): Column<Operation>[] => [
  { head: 'operation', cell: ({ name }) => name },
  { head: 'in', cell: ({ envs }) => inWords(envs) },
  { head: 'class', cell: ({ op_class: of }) => of },
  { head: 'credits', number: true, cell: (each) => <Credits value={each.credits_cost} /> },
  { head: 'state', cell: ({ enabled }) => <Status of={enabled ? 'enabled' : 'disabled'} /> },
  {
    head: 'scheduled',
    cell: (operation) =>
      operation.scheduled.length > 0 && (
        <ul className="plain">
          {operation.scheduled.map((price) => (
            <li key={price.from}>
              <Credits value={price.credits_cost} /> from <Time at={price.from} whole />, by{' '}
              {whoScheduled(changes, operation, price)} <Withdraw operation={operation} price={price} />
            </li>
          ))}
        </ul>
      ),
  },
  {
    head: 'change',
    cell: (operation) => (
      <span className="actions">
        <Price operation={operation} />
        <Switch operation={operation} />
      </span>
    ),
  },
];

/** The operator who scheduled the price. Unknown for changes that are older than the list of changes. */
function whoScheduled(changes: readonly Done[], { envs, name }: Operation, { from }: Scheduled): string {
  const made = changes.find(
    ({ outcome, input }) =>
      outcome === 'done' &&
      input['name'] === name &&
      (input['env'] === undefined || envs.some((env) => env === input['env'])) &&
      Date.parse(String(input['from'])) === Date.parse(from),
  );
  return made?.by ?? 'an earlier change';
}

/** The list has those names only that the calls take. */
const paramsOf = ({ name }: Operation) => ({ path: { name } as OnePath });

function Price({ operation }: { operation: Operation }) {
  const { envs, name, credits_cost: now } = operation;
  const price = async (form: FormData) => {
    const from = textOf(form, 'from');
    const begin = from === undefined ? undefined : new Date(from).toISOString();
    const body = {
      env: onlyOne(envs),
      credits: numberOf(form, 'credits') ?? 0,
      from: begin,
      reason: textOf(form, 'reason'),
    };
    const params = paramsOf(operation);
    await change(client.POST('/admin/v1/operations/{name}/price', { params, body }));
    return begin === undefined ? 'The price is changed.' : 'The price is scheduled.';
  };
  return (
    <Action
      label="Price"
      title={`Price of ${name} in ${inWords(envs)}`}
      confirm="Set the price"
      small
      act={price}
    >
      <p className="soft">
        A dispatch costs {now} credits. A new price applies from the next dispatch, or from the time that you
        give.
      </p>
      <div className="columns">
        <TextField label="Credits" name="credits" type="number" min={1} initial={String(now)} required />
        <TextField label="From, in your time" name="from" type="datetime-local" hint="Empty: from now on." />
      </div>
      <TextField label="Why, for the record" name="reason" />
    </Action>
  );
}

function Withdraw({ operation, price: { from } }: { operation: Operation; price: Scheduled }) {
  const { envs, name } = operation;
  const withdraw = async (form: FormData) => {
    const body = { env: onlyOne(envs), from, reason: textOf(form, 'reason') };
    const params = paramsOf(operation);
    await change(client.POST('/admin/v1/operations/{name}/withdraw-price', { params, body }));
    return 'The scheduled price is withdrawn.';
  };
  return (
    <Action
      label="Withdraw"
      title={`Withdraw a price of ${name} in ${inWords(envs)}`}
      confirm="Withdraw"
      danger
      small
      act={withdraw}
    >
      <p>The previous price stays in force.</p>
      <TextField label="Why, for the record" name="reason" />
    </Action>
  );
}

function Switch({ operation }: { operation: Operation }) {
  const { envs, name, enabled } = operation;
  const turn = async (form: FormData) => {
    const asked = {
      params: paramsOf(operation),
      body: { env: onlyOne(envs), reason: textOf(form, 'reason') },
    };
    if (enabled) await change(client.POST('/admin/v1/operations/{name}/disable', asked));
    else await change(client.POST('/admin/v1/operations/{name}/enable', asked));
    return `${name} is ${enabled ? 'disabled' : 'enabled'}.`;
  };
  const word = enabled ? 'Disable' : 'Enable';
  return (
    <Action
      label={word}
      title={`${word} ${name} in ${inWords(envs)}`}
      confirm={word}
      danger={enabled}
      small
      act={turn}
    >
      <p>
        {enabled
          ? 'New dispatches are refused. Running jobs go on.'
          : 'It can be dispatched again, at the price above.'}
      </p>
      <TextField label="Why, for the record" name="reason" />
    </Action>
  );
}

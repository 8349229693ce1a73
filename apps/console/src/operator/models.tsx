import { count, duration, many, Status } from '../shared/format.js';
import { Action, JsonDetails, Loaded, Page, Section, Table } from '../shared/ui.js';
import { api, client, done, lively, queries, unhurried, type Environment, type Schemas } from './api.js';
import { useEnvironment } from './environment.js';
import { EarlierRuns, FollowedRun, useFollowedRun, type Run } from './runs.js';

type Generation = Schemas['ProjectionsListResult']['projections'][number];
type Rebuilt = Schemas['ProjectionsRebuildResult'];

/** Generations of each read model side by side, with the possible actions. */
export function ModelsPage() {
  const { env } = useEnvironment();
  const { run, follow } = useFollowedRun();
  const query = api.useQuery('get', '/admin/v1/projections', { params: { query: { env } } }, unhurried);
  const processes = api.useQuery('get', '/admin/v1/process-managers', { params: { query: { env } } }, lively);
  return (
    <Page
      title="Read models"
      lead="Tables folded from the log. You can build each again beside the live one, compare the two, and switch."
      actions={<Change what="compare" env={env} all started={follow} />}
    >
      {run !== undefined && (
        <FollowedRun key={run} id={run}>
          {(followed) => <RebuildReport run={followed} />}
        </FollowedRun>
      )}
      <Loaded query={query} lines={12}>
        {({ projections }) => <Generations of={latestFirst(projections)} started={follow} />}
      </Loaded>
      <Section
        title="Process managers"
        lead="Work that events cause: tasks, refunds, the ends of batches, webhooks."
      >
        <Loaded query={processes} lines={4}>
          {({ process_managers: all }) => (
            <Table
              label="Process managers"
              rows={all}
              keyOf={({ env: of, name }) => `${of} ${name}`}
              empty="No projector has ever run on this database: start one."
              columns={[
                { head: 'name', cell: ({ name }) => name },
                { head: 'in', cell: ({ env: of }) => of },
                { head: 'state', cell: ({ state }) => <Status of={state} /> },
                { head: 'position', number: true, cell: ({ position }) => position },
                { head: 'behind', number: true, cell: ({ lag, lag_seconds }) => behind(lag, lag_seconds) },
              ]}
            />
          )}
        </Loaded>
      </Section>
      <EarlierRuns of="projections" follow={follow} />
    </Page>
  );
}

const behind = (events: number, seconds: number | null) =>
  events === 0 ? '0' : `${many(events, 'event')}, ${duration(seconds ?? 0)}`;

/** Sorts the generations of each read model, the latest first. */
const latestFirst = (all: Generation[]) =>
  all.toSorted((one, other) =>
    one.env === other.env && one.name === other.name ? other.generation - one.generation : 0,
  );

function Generations({ of, started }: { of: Generation[]; started: (run: Run) => void }) {
  const firstOf = (each: Generation) =>
    of.find(({ env, name }) => env === each.env && name === each.name) === each;
  const has = ({ env, name }: Generation, state: string) =>
    of.some((each) => each.env === env && each.name === name && each.state === state);
  return (
    <Table
      label="Generations of the read models"
      rows={of}
      keyOf={({ env, name, generation }) => `${env} ${name} ${generation}`}
      empty="No projector has ever run on this database: start one."
      columns={[
        {
          head: 'read model',
          cell: (each) =>
            firstOf(each) ? <strong>{each.name}</strong> : <span className="soft">{each.name}</span>,
        },
        { head: 'in', cell: ({ env }) => env },
        {
          head: 'generation',
          number: true,
          cell: ({ generation, version }) => `${generation} (version ${version})`,
        },
        { head: 'state', cell: ({ state }) => <Status of={state} /> },
        { head: 'because', cell: ({ because }) => because },
        { head: 'rows', number: true, cell: ({ rows }) => rows !== null && count(rows) },
        { head: 'position', number: true, cell: ({ position }) => position },
        {
          head: 'behind',
          number: true,
          cell: ({ behind_events: events, behind_seconds: seconds }) =>
            events !== null && behind(events, seconds),
        },
        { head: 'parked', number: true, cell: ({ parked_streams: parked }) => count(parked) },
        {
          head: 'change',
          cell: (each) =>
            firstOf(each) && (
              <span className="actions">
                <Change what="rebuild" {...each} started={started} />
                {has(each, 'building') && <Change what="switch" {...each} started={started} />}
                {has(each, 'retired') && <Change what="rollback" {...each} started={started} />}
              </span>
            ),
        },
      ]}
    />
  );
}

const changes = {
  compare: {
    label: 'Compare all',
    confirm: 'Compare',
    danger: false,
    about:
      'The history is folded into separate tables, and every row is compared with the live ones. Nothing is changed; it takes a while.',
  },
  rebuild: {
    label: 'Rebuild',
    confirm: 'Rebuild',
    danger: false,
    about:
      'The history is folded anew beside the live rows. Reads go on meanwhile. If all rows are equal, the new rows replace the live ones. The old rows are kept, so that you can roll back.',
  },
  switch: {
    label: 'Switch',
    confirm: 'Switch',
    danger: true,
    about:
      'The rows that were built earlier are compared once more, and then shown instead of the live rows.',
  },
  rollback: {
    label: 'Roll back',
    confirm: 'Roll back',
    danger: true,
    about:
      'The rows that were live before the last switch are brought up to date and shown again. Nothing is compared.',
  },
} as const;

interface ChangeParts {
  readonly what: keyof typeof changes;
  readonly env: Environment | undefined;
  readonly name?: string;
  readonly all?: boolean;
  readonly started: (run: Run) => void;
}

function Change({ what, env, name, all = false, started }: ChangeParts) {
  const { about, ...words } = changes[what];
  const start = async (form: FormData) => {
    const accept = form.get('accept') !== null;
    started(
      await ask(
        what,
        { env, name: name === undefined ? [] : [name], all },
        accept,
        form.get('build') !== null,
      ),
    );
    await queries.invalidateQueries({ queryKey: ['get', '/admin/v1/runs'] });
    // Its progress is shown, which says more.
    return '';
  };
  return (
    <Action
      {...words}
      title={name === undefined ? words.label : `${words.label}: ${env} ${name}`}
      small
      act={start}
    >
      <p>{about}</p>
      {what === 'rebuild' && (
        <label className="check">
          <input type="checkbox" name="build" /> Build and compare only; I switch later
        </label>
      )}
      {(what === 'rebuild' || what === 'switch') && (
        <label className="check">
          <input type="checkbox" name="accept" /> Switch even where rows differ
        </label>
      )}
    </Action>
  );
}

interface Chosen {
  readonly env: Environment | undefined;
  readonly name: string[];
  readonly all: boolean;
}

function ask(what: ChangeParts['what'], chosen: Chosen, accept: boolean, buildOnly: boolean): Promise<Run> {
  const body = { ...chosen, accept_differences: accept };
  if (what === 'compare') return done(client.POST('/admin/v1/projections/compare', { body: chosen }));
  if (what === 'rollback') return done(client.POST('/admin/v1/projections/rollback', { body: chosen }));
  if (what === 'switch') return done(client.POST('/admin/v1/projections/switch', { body }));
  return done(client.POST('/admin/v1/projections/rebuild', { body: { ...body, switch: !buildOnly } }));
}

/** The result of the comparison, row for row, and whether the view was switched. */
function RebuildReport({ run }: { run: Run }) {
  if (run.state !== 'done' || !run.result) return null;
  // Runs whose action begins with `projections` have this result.
  const { environments } = run.result as Rebuilt;
  const rows = environments.flatMap(({ env, projections }) => projections.map((each) => ({ env, ...each })));
  return (
    <Table
      label="What was compared"
      rows={rows}
      keyOf={({ env, name }) => `${env} ${name}`}
      empty="Nothing was compared."
      columns={[
        { head: 'read model', cell: ({ name }) => name },
        { head: 'in', cell: ({ env }) => env },
        {
          head: 'generation',
          cell: ({ live_generation_before: before, generation }) => `${before ?? 'none'} → ${generation}`,
        },
        { head: 'rows', number: true, cell: (each) => count(each.rows) },
        { head: 'compared', cell: ({ differences }) => <Differences of={differences} /> },
        { head: 'switched', cell: ({ switched }) => (switched ? <Status of="done" /> : 'no') },
      ]}
    />
  );
}

type Found = Rebuilt['environments'][number]['projections'][number]['differences'];

function Differences({ of: found }: { of: Found }) {
  if (!found) return <span className="soft">with nothing</span>;
  const { missing, extra, changed, first } = found;
  if (missing + extra + changed === 0) return <span className="tag good">equal</span>;
  return (
    <>
      <span className="tag bad">
        {count(missing)} missing, {count(extra)} extra, {count(changed)} changed
      </span>
      <JsonDetails of={first} label="the first rows, live and from history" />
    </>
  );
}

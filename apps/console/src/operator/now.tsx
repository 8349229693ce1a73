import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { count, duration, Status } from '../shared/format.js';
import { Loaded, Page, Section, Table } from '../shared/ui.js';
import { api, lively, type Schemas } from './api.js';
import { useEnvironment } from './environment.js';

type Now = Schemas['StatusResult'];

/** A projector that works is never this far behind. */
const lateSeconds = 10;

/** Is anyone waiting, and why: each number leads to its list. */
export function NowPage() {
  const { env } = useEnvironment();
  const query = api.useQuery('get', '/admin/v1/status', {}, lively);
  return (
    <Page title="Now" lead="Is anyone waiting, and why">
      <Loaded query={query}>{(status) => <Answered status={ofEnvironment(status, env)} />}</Loaded>
    </Page>
  );
}

function ofEnvironment({ consumers, queues, ...rest }: Now, env: string | undefined): Now {
  const within = (each: { env: string }) => env === undefined || each.env === env;
  return { ...rest, consumers: consumers.filter(within), queues: queues.filter(within) };
}

function Answered({ status: { consumers, queues, seals } }: { status: Now }) {
  const of = (state: string) => queues.filter((each) => each.state === state);
  const tasks = (state: string) => of(state).reduce((sum, each) => sum + each.tasks, 0);
  const oldest = Math.max(0, ...of('waiting').map((each) => each.oldest_seconds));
  const halted = consumers.filter(({ state }) => state !== 'live');
  const late = consumers.filter(({ lag_seconds }) => (lag_seconds ?? 0) > lateSeconds);
  const parked = consumers.reduce((sum, each) => sum + each.parked, 0);
  const wrong = [
    ...halted.map(
      ({ env, name, state, halted_because: why }) => `${env} ${name} is ${state}${why ? `: ${why}` : ''}`,
    ),
    ...late.map(({ env, name, lag_seconds }) => `${env} ${name} is ${duration(lag_seconds ?? 0)} behind`),
    ...(parked > 0 ? [`${count(parked)} events are parked`] : []),
  ];
  return (
    <>
      <Verdict wrong={wrong} waiting={tasks('waiting')} oldest={oldest} />
      <div className="tiles">
        <Tile
          name="Waiting"
          value={count(tasks('waiting'))}
          about={`oldest ${duration(oldest)}`}
          to="/jobs?status=NOT_STARTED"
        />
        <Tile
          name="Rendering"
          value={count(tasks('active'))}
          about="with a worker"
          to="/jobs?status=IN_PROGRESS"
        />
        <Tile
          name="Put off"
          value={count(tasks('delayed'))}
          about="tried again later"
          to="/jobs?status=IN_PROGRESS"
        />
        <Tile name="Seals" value={/^\w+/.exec(seals)?.[0] ?? '–'} about={seals} />
      </div>
      <Section title="What follows the log">
        <Table
          label="Read models and process managers"
          rows={consumers}
          keyOf={({ env, name }) => `${env} ${name}`}
          empty="No projector has ever run on this database: start one."
          columns={[
            { head: 'name', cell: ({ name }) => name },
            { head: 'kind', cell: ({ kind }) => kind },
            { head: 'environment', cell: ({ env }) => env },
            { head: 'state', cell: ({ state }) => <Status of={state} /> },
            { head: 'behind', number: true, cell: ({ lag }) => (lag === 0 ? '0' : count(lag)) },
            {
              head: 'for',
              number: true,
              cell: ({ lag_seconds }) => lag_seconds !== null && duration(lag_seconds),
            },
            { head: 'parked', number: true, cell: ({ parked }) => count(parked) },
          ]}
        />
      </Section>
    </>
  );
}

function Verdict({ wrong, waiting, oldest }: { wrong: string[]; waiting: number; oldest: number }) {
  if (wrong.length > 0)
    return (
      <div className="answer bad">
        <div>
          <strong>Something is in the way.</strong>
          <ul>
            {wrong.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </div>
      </div>
    );
  if (waiting > 0 && oldest > 60)
    return (
      <div className="answer warn">
        <strong>
          {count(waiting)} wait for a worker, the oldest for {duration(oldest)}.
        </strong>
      </div>
    );
  return (
    <div className="answer">
      <strong>Nobody waits longer than usual.</strong>
    </div>
  );
}

interface TileParts {
  readonly name: string;
  readonly value: ReactNode;
  readonly about?: ReactNode;
  readonly to?: string;
}

export function Tile({ name, value, about, to }: TileParts) {
  const inside = (
    <>
      <span className="name">{name}</span>
      <span className="value">{value}</span>
      <span className="about">{about}</span>
    </>
  );
  if (to === undefined) return <div className="tile">{inside}</div>;
  return (
    <Link className="tile" href={to}>
      {inside}
    </Link>
  );
}

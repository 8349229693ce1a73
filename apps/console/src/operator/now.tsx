import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { count, Credits, duration, many, Status, Time } from '../shared/format.js';
import { Loaded, Page, Section, Table } from '../shared/ui.js';
import { api, lively, type Environment, type Schemas } from './api.js';
import { useEnvironment } from './environment.js';
import { useStream } from './live.js';
import { TenantName } from './tenant-name.js';

type NowFacts = Schemas['NowResult'];

const where: Readonly<Record<NowFacts['reasons'][number]['what'], string>> = {
  processes: '/models',
  queue: '/jobs?status=NOT_STARTED',
  failures: '/jobs?status=FAILURE&hours=1',
  halted: '/models',
  behind: '/models',
  parked: '/care',
  stranded: '/care',
  orphaned: '/care',
  webhooks: '/tenants',
  buckets: '/tenants',
  provenance: '/care',
  seals: '/audit',
  audit: '/audit',
  // The reason itself says all that there is.
  alerts: '/',
};

/** Is anyone waiting, and why: each number leads to its list. */
export function NowPage() {
  const { env } = useEnvironment();
  const { queryKey } = api.queryOptions('get', '/admin/v1/now', {});
  const streaming = useStream('/admin/v1/now/events', queryKey);
  const query = api.useQuery('get', '/admin/v1/now', {}, streaming ? { staleTime: Infinity } : lively);
  return (
    <Page
      title="Now"
      lead={
        <>
          Is anyone waiting, and why.{' '}
          {query.data && (
            <span className="soft">
              As of <Time at={query.data.at} />
              {streaming ? ', live.' : ', read every 5 s.'}
            </span>
          )}
        </>
      }
    >
      <Loaded query={query} lines={10}>
        {(now) => <Answered now={within(now, env)} />}
      </Loaded>
    </Page>
  );
}

function within(now: NowFacts, env: Environment | undefined): NowFacts {
  if (env === undefined) return now;
  const of = <Row extends { env: string | null }>(rows: Row[]) =>
    rows.filter((row) => row.env === env || row.env === null);
  const { queues, consumers, last_hour, stranded, charges, webhooks, oldest_jobs, unfinished, reasons } = now;
  return {
    ...now,
    queues: of(queues),
    consumers: of(consumers),
    last_hour: of(last_hour),
    stranded: of(stranded),
    charges: of(charges),
    webhooks: of(webhooks),
    reasons: of(reasons),
    oldest_jobs: of(oldest_jobs),
    unfinished: of(unfinished),
  };
}

function Answered({ now }: { now: NowFacts }) {
  return (
    <>
      <Verdict reasons={now.reasons} />
      <Tiles now={now} />
      <div className="columns">
        <Unfinished now={now} />
        <Spend days={now.last_day} />
      </div>
      <Consumers consumers={now.consumers} />
    </>
  );
}

function Verdict({ reasons }: Pick<NowFacts, 'reasons'>) {
  if (reasons.length === 0)
    return (
      <div className="answer" role="status">
        <strong>No job waits longer than usual.</strong>
      </div>
    );
  return (
    <div className="answer bad" role="status">
      <div>
        <strong>
          {reasons.length === 1 ? 'Something is in the way.' : `${reasons.length} things are in the way.`}
        </strong>
        <ul>
          {reasons.map(({ what, env, detail }) => (
            <li key={`${what} ${env} ${detail}`}>
              <Link href={where[what]}>
                {env !== null && `${env}: `}
                {detail}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

const sum = <Row,>(rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((total, row) => total + of(row), 0);

/** The rate over all given environments, weighted by the number of jobs that ended in each. */
function share(
  hours: NowFacts['last_hour'],
  of: 'success_rate' | 'policy_rate' | 'transient_rate' | 'refund_rate',
) {
  const ended = sum(hours, (hour) => hour.ended);
  if (ended === 0) return '–';
  return `${Math.round((sum(hours, (hour) => (hour[of] ?? 0) * hour.ended) / ended) * 1_000) / 10} %`;
}

function Tiles({ now }: { now: NowFacts }) {
  const { queues, oldest_jobs: oldest, last_hour: hours, stranded, charges, webhooks, consumers } = now;
  const [first] = oldest.toSorted((one, other) => other.age_seconds - one.age_seconds);
  const parked = sum(consumers, (each) => each.parked);
  const lag = Math.max(0, ...consumers.map((each) => each.lag_seconds ?? 0));
  const orphaned = sum(charges, (each) => each.orphaned);
  const lost = sum(stranded, ({ jobs }) => jobs);
  return (
    <div className="tiles sevens">
      <Tile
        name="Waiting"
        value={count(sum(queues, (each) => each.waiting))}
        about={`${count(sum(queues, (each) => each.delayed))} more are tried again later`}
        to="/jobs?status=NOT_STARTED"
      />
      <Tile
        name="Oldest queued job"
        value={first ? duration(first.age_seconds) : 'none'}
        about={first?.workflow}
        to={first && `/jobs/${first.job_id}`}
      />
      <Tile
        name="Rendering"
        value={count(sum(queues, (each) => each.active))}
        to="/jobs?status=IN_PROGRESS"
      />
      <LastHour hours={hours} />
      <Tile
        name="Read models behind"
        value={duration(lag)}
        about="the farthest of them"
        to="/models"
        tone={lag > 10 ? 'bad' : undefined}
      />
      <Tile name="Parked events" value={count(parked)} to="/care" tone={parked > 0 ? 'bad' : undefined} />
      <Tile name="Stranded jobs" value={count(lost)} to="/care" tone={lost > 0 ? 'bad' : undefined} />
      <Tile
        name="Orphaned charges"
        value={count(orphaned)}
        about={`of ${count(sum(charges, (each) => each.open))} open`}
        to="/care"
        tone={orphaned > 0 ? 'bad' : undefined}
      />
      <Tile
        name="Webhooks due"
        value={count(sum(webhooks, (each) => each.due))}
        about={`${many(
          sum(webhooks, (each) => each.failing_endpoints),
          'endpoint',
        )} failing`}
        to="/tenants"
      />
      <LastChecks now={now} />
    </div>
  );
}

function LastHour({ hours }: { hours: NowFacts['last_hour'] }) {
  const ended = sum(hours, (hour) => hour.ended);
  const hour = '/jobs?hours=1';
  return (
    <>
      <Tile
        name="Ended in the last hour"
        value={count(ended)}
        about={`${share(hours, 'success_rate')} succeeded`}
        to={hour}
      />
      <Tile
        name="Refused by policy"
        value={share(hours, 'policy_rate')}
        about="in the last hour"
        to={`${hour}&error=ENGINE_POLICY`}
      />
      <Tile
        name="Transient failures"
        value={share(hours, 'transient_rate')}
        about="no capacity, no image, unknown"
        to={`${hour}&status=FAILURE`}
      />
      <Tile
        name="Refunded"
        value={share(hours, 'refund_rate')}
        about="in the last hour"
        to={`${hour}&status=FAILURE`}
      />
    </>
  );
}

function LastChecks({ now: { last_audit: audit, failed_audit: failed, seals } }: { now: NowFacts }) {
  return (
    <>
      <Tile
        name="Last audit"
        value={audit ? (audit.holds ? 'holds' : audit.outcome) : 'none yet'}
        about={
          failed ? (
            <>
              one failed <Time at={failed.at} />
            </>
          ) : (
            audit && <Time at={audit.at} />
          )
        }
        to="/audit"
        tone={failed || (audit && !audit.holds) ? 'bad' : undefined}
      />
      <Tile
        name="Last seal"
        value={seals.last === null ? 'none yet' : count(seals.last)}
        about={seals.sealed_at !== null && <Time at={seals.sealed_at} />}
        to="/audit"
        tone={seals.late ? 'bad' : undefined}
      />
    </>
  );
}

function Unfinished({ now: { unfinished } }: { now: NowFacts }) {
  return (
    <Section title="Under way, by tenant and model">
      <Table
        label="Jobs under way by tenant and model"
        rows={unfinished}
        keyOf={({ env, tenant_id, model }) => `${env} ${tenant_id} ${model}`}
        empty="No job is under way."
        columns={[
          {
            head: 'tenant',
            cell: ({ tenant_id: id }) => (
              <Link href={`/jobs?tenant=${id}`}>
                <TenantName id={id} />
              </Link>
            ),
          },
          { head: 'model', cell: ({ model }) => model },
          { head: 'in', cell: ({ env }) => env },
          { head: 'waiting', number: true, cell: ({ waiting }) => count(waiting) },
          { head: 'rendering', number: true, cell: ({ rendering }) => count(rendering) },
          { head: 'oldest', number: true, cell: ({ oldest_seconds }) => duration(oldest_seconds) },
        ]}
      />
    </Section>
  );
}

function Spend({ days }: { days: NowFacts['last_day'] }) {
  const { env: one = 'live' } = useEnvironment();
  const day = days.find(({ env }) => env === one);
  if (!day) return null;
  const money = (value: number) => `${value.toFixed(2)} ${day.currency}`;
  return (
    <Section
      title={`Vendors’ prices in 24 hours, ${one}`}
      lead={
        <>
          {money(day.price)} against <Credits value={day.credits_taken - day.credits_returned} /> credits (
          <Credits value={day.credits_returned} /> were given back)
          {day.margin !== null && `: a margin of ${money(day.margin)}`}.
        </>
      }
    >
      <Table
        label="Vendors’ prices"
        rows={day.models}
        keyOf={({ model }) => model}
        empty="No vendor was called: the sandbox draws, or nothing was dispatched."
        columns={[
          { head: 'model', cell: ({ model }) => <Link href={`/jobs?model=${model}`}>{model}</Link> },
          { head: 'calls', number: true, cell: ({ calls }) => count(calls) },
          { head: 'failed', number: true, cell: ({ failed }) => count(failed) },
          { head: 'paid', number: true, cell: ({ price }) => money(price) },
        ]}
      />
    </Section>
  );
}

function Consumers({ consumers }: Pick<NowFacts, 'consumers'>) {
  const wrong = consumers.filter(({ state, lag, parked }) => state !== 'live' || lag > 0 || parked > 0);
  return (
    <Section title="What follows the log" actions={<Link href="/models">All read models</Link>}>
      <Table
        label="Read models and process managers that are behind"
        rows={wrong}
        keyOf={({ env, name }) => `${env} ${name}`}
        empty={
          consumers.length === 0
            ? 'No projector has ever run on this database: start one.'
            : `All ${consumers.length} read models and process managers are up to date.`
        }
        columns={[
          { head: 'name', cell: ({ name }) => name },
          { head: 'kind', cell: ({ kind }) => kind },
          { head: 'in', cell: ({ env }) => env },
          { head: 'state', cell: ({ state }) => <Status of={state} /> },
          { head: 'events behind', number: true, cell: ({ lag }) => count(lag) },
          { head: 'for', number: true, cell: ({ lag_seconds }) => duration(lag_seconds ?? 0) },
          { head: 'parked', number: true, cell: ({ parked }) => count(parked) },
        ]}
      />
    </Section>
  );
}

interface TileParts {
  readonly name: string;
  readonly value: ReactNode;
  readonly about?: ReactNode;
  readonly to?: string;
  readonly tone?: 'bad' | undefined;
}

function Tile({ name, value, about, to, tone }: TileParts) {
  const inside = (
    <>
      <span className="name">{name}</span>
      <span className={tone ? `value ${tone}` : 'value'}>{value}</span>
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

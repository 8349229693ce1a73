import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { Credits, Id, JobLink, Status, Time } from '../shared/format.js';
import { Passport } from '../shared/passport.js';
import { Facts, JsonDetails, Loaded, Page, Section, Table } from '../shared/ui.js';
import { api, type Schemas } from './api.js';
import { Picture, PictureList } from './pictures.js';
import { Repairs } from './repairs.js';
import { RowsThen } from './rows.js';
import { TenantLink } from './tenant-name.js';

type Story = Schemas['JobsShowResult'];
type StoredEvent = Story['events'][number];
type Made = Schemas['JobsPicturesResult']['made'];

const unfinished = new Set<Story['status']>(['queued', 'rendering']);

/** One job, read from its stream: events, pictures, and beside them the money. */
export function JobPage() {
  const { job = '' } = useParams();
  const path = { params: { path: { job } } };
  const story = api.useQuery('get', '/admin/v1/jobs/{job}', path, {
    refetchInterval: ({ state }) => (!state.data || unfinished.has(state.data.status) ? 1_000 : false),
  });
  const pictures = api.useQuery('get', '/admin/v1/jobs/{job}/pictures', path, {
    refetchInterval: story.data && unfinished.has(story.data.status) ? 2_000 : 300_000,
  });
  const { workflow = 'Job' } = story.data ?? {};
  return (
    <Page
      title={workflow}
      lead={<Id id={job} whole />}
      actions={story.data && <Repairs jobs={[story.data]} />}
    >
      <Loaded query={story} lines={10}>
        {(data) => (
          <>
            <JobFacts story={data} />
            <BeforeAfter query={pictures} />
            {data.status === 'succeeded' && data.child_job_ids.length === 0 && <JobPassport job={job} />}
            <Section title="What happened">
              <Timeline story={data} made={pictures.data?.made ?? []} />
              <RowsThen job={job} label="the read models’ rows now" />
            </Section>
            <Calls calls={data.vendor_calls} />
            <Deliveries tenant={data.tenant_id} deliveries={data.deliveries} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function JobPassport({ job }: { job: string }) {
  const query = api.useQuery(
    'get',
    '/admin/v1/jobs/{job}/passport',
    { params: { path: { job } } },
    { staleTime: 60_000 },
  );
  return (
    <Section title="Passport" lead="Where the picture comes from, link by link, as the tenant sees it.">
      <Loaded query={query} lines={5}>
        {(passport) => <Passport of={passport} />}
      </Loaded>
    </Section>
  );
}

function JobFacts({ story }: { story: Story }) {
  const { env, tenant_id: tenant, model, attempts, credits_cost: cost, request_id: request } = story;
  const { charge_id: charge, parent_job_id: parent, child_job_ids: children, trace_id: trace } = story;
  const job = (id: string) => <JobLink key={id} id={id} />;
  return (
    <Facts
      of={[
        ['State', <Status key="state" of={story.status} />],
        ['Environment', env],
        ['Tenant', <TenantLink key="tenant" id={tenant} />],
        ['Model', model],
        ['Attempts', attempts],
        ['Credits', <Credits key="credits" value={cost} />],
        ['Request', <Id key="request" id={request} />],
        ['Charge', charge !== null && <Id id={charge} />],
        ['Batch', parent !== null && job(parent)],
        ['Photographs', children.length > 0 && children.map(job)],
        ['Trace', trace !== null && <Id id={trace} />],
      ]}
    />
  );
}

function BeforeAfter({ query }: { query: UseQueryResult<Schemas['JobsPicturesResult'], unknown> }) {
  const { given = [], made = [], provenance } = query.data ?? {};
  const finals = made.filter(({ role }) => role === 'final');
  if (query.isSuccess && given.length + finals.length === 0) return null;
  return (
    <div className="columns">
      {given.length > 0 && (
        <Section title="Before">
          <PictureList>
            {given.map((each) => (
              <Picture key={each.name} {...each} about={each.name.replaceAll('_', ' ')} />
            ))}
          </PictureList>
        </Section>
      )}
      <Section
        title="After"
        lead={
          provenance &&
          `${provenance.engine}, ${provenance.model}, seed ${provenance.seed}, attempt ${provenance.attempt}, ${(provenance.renderMs / 1000).toFixed(1)} s`
        }
      >
        <Loaded query={query} lines={4}>
          {() => (
            <PictureList>
              {finals.map((each) => (
                <Picture
                  key={each.asset_id}
                  {...each}
                  about={`${each.label}, ${each.width} × ${each.height}`}
                />
              ))}
            </PictureList>
          )}
        </Loaded>
        {provenance && <JsonDetails of={provenance} label="Provenance" />}
      </Section>
    </div>
  );
}

const tone: Readonly<Record<string, string>> = {
  JobSucceeded: 'good',
  JobFailed: 'bad',
  JobCancelled: 'bad',
  JobVoided: 'bad',
};

/** Events and ledger lines in order of time, so that each charge is beside its work. */
function Timeline({ story: { job_id: job, events, ledger }, made }: { story: Story; made: Made }) {
  const moments = [
    ...events.map((event) => ({
      key: `event ${event.revision}`,
      at: event.metadata.recordedAt,
      tone: tone[event.type],
      show: (
        <EventEntry
          job={job}
          event={event}
          made={made.filter(({ revision }) => revision === event.revision)}
        />
      ),
    })),
    ...ledger.flatMap(({ id, label, amount, created_at, resolved_at, status }) => [
      {
        key: `charge ${id}`,
        at: created_at,
        tone: 'money',
        show: <MoneyEntry what={`Charged for ${label}`} credits={<Credits value={-amount} signed />} />,
      },
      ...(resolved_at === null
        ? []
        : [
            {
              key: `end ${id}`,
              at: resolved_at,
              tone: 'money',
              show:
                status === 'REFUNDED' ? (
                  <MoneyEntry what="Refunded" credits={<Credits value={amount} signed />} />
                ) : (
                  <MoneyEntry what="Settled" credits={<Credits value={0} />} />
                ),
            },
          ]),
    ]),
  ];
  // The sort is stable, so entries of the same time keep the order of the log.
  moments.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const first = Date.parse(moments[0]?.at ?? '');
  return (
    <ol className="timeline">
      {moments.map(({ key, at, tone: tint, show }, place) => (
        <li key={key} className={tint}>
          <span className="when">
            {place === 0 ? <Time at={at} whole /> : `+${((Date.parse(at) - first) / 1000).toFixed(2)} s`}
          </span>
          {show}
        </li>
      ))}
    </ol>
  );
}

function MoneyEntry({ what, credits }: { what: string; credits: ReactNode }) {
  return (
    <>
      <span className="what soft">{what}</span>
      <span>{credits}</span>
    </>
  );
}

function EventEntry({ job, event, made }: { job: string; event: StoredEvent; made: Made }) {
  const { type, revision, position, data, metadata } = event;
  return (
    <>
      <div className="what">
        <span>
          <strong>{type}</strong> {wordsOf(data)}
        </span>
        {made.length > 0 && (
          <PictureList small>
            {made.map((each) => (
              <Picture key={each.asset_id} {...each} about={each.label} />
            ))}
          </PictureList>
        )}
        <RowsThen
          {...{ job, position }}
          event={{ revision, position, type, data, metadata }}
          label={`as stored, by ${shortActor(metadata.actor)}`}
        />
      </div>
      <span className="soft">{revision}</span>
    </>
  );
}

/** The end of `worker:worker-01K9…` distinguishes it, so the end is kept. */
const shortActor = (actor: string) => actor.replace(/:.{16,}(?=.{8}$)/, ' …');

/** The text for people in an event of any type. */
function wordsOf(data: Record<string, unknown>): string | undefined {
  const attempt = typeof data['attempt'] === 'number' ? [`attempt ${data['attempt']}`] : [];
  const said = ['stage', 'code', 'message', 'reason', 'outcome', 'model']
    .map((name) => data[name])
    .filter((each) => typeof each === 'string');
  return [...attempt, ...said].join(' · ');
}

function Calls({ calls }: { calls: Story['vendor_calls'] }) {
  if (calls.length === 0) return null;
  return (
    <Section title="Calls of vendors">
      <Table
        label="Calls of vendors"
        rows={calls}
        keyOf={({ call }) => call}
        empty=""
        columns={[
          { head: 'call', cell: ({ call }) => call },
          { head: 'model', cell: ({ model, vendor }) => `${model} (${vendor})` },
          { head: 'attempt', number: true, cell: ({ attempt }) => attempt },
          { head: 'vendor’s id', cell: ({ vendor_request_id: id }) => id !== null && <Id id={id} whole /> },
          { head: 'outcome', cell: ({ answer }) => (answer ? <Status of={answer.outcome} /> : 'waited for') },
          {
            head: 'took',
            number: true,
            cell: ({ answer }) => answer && `${(answer.latencyMs / 1000).toFixed(1)} s`,
          },
          {
            head: 'paid',
            number: true,
            cell: ({ answer }) => answer && `${answer.price} ${answer.currency}`,
          },
        ]}
      />
    </Section>
  );
}

function Deliveries({ tenant, deliveries }: { tenant: string; deliveries: Story['deliveries'] }) {
  if (deliveries.length === 0) return null;
  return (
    <Section title="Webhook deliveries" actions={<Link href={`/tenants/${tenant}`}>Its endpoints</Link>}>
      <Table
        label="Webhook deliveries"
        rows={deliveries}
        keyOf={({ delivery_id }) => delivery_id}
        empty=""
        columns={[
          { head: 'delivery', cell: ({ delivery_id: id }) => <Id id={id} whole /> },
          { head: 'message', cell: ({ type }) => type },
          { head: 'state', cell: ({ status }) => <Status of={status} /> },
          { head: 'attempts', number: true, cell: ({ attempts }) => attempts },
          { head: 'of', cell: ({ occurred_at: at }) => <Time at={at} /> },
        ]}
      />
    </Section>
  );
}

import type { ReactNode } from 'react';
import { count, Credits, duration, Id, JobLink, many, Time } from '../shared/format.js';
import { Action, Loaded, Page, Section, Table } from '../shared/ui.js';
import { api, change, client, lively, type Schemas } from './api.js';
import { useEnvironment } from './environment.js';
import { TenantLink } from './tenant-name.js';

/** What the service puts right by itself, or cannot: each with the reason and the way out. */
export function CarePage() {
  return (
    <Page
      title="Repair"
      lead="What stands still although nothing should: parked events, stranded jobs, orphaned charges"
    >
      <Parked />
      <Stranded />
      <Orphans />
    </Page>
  );
}

function Parked() {
  const { env } = useEnvironment();
  const query = api.useQuery('get', '/admin/v1/parked', { params: { query: { env } } }, lively);
  const retry = (stream: string | undefined, readModel?: string) => async () => {
    const chosen = stream === undefined ? { all: true } : { stream, read_model: readModel };
    const { retried } = await change(client.POST('/admin/v1/parked/retry', { body: { env, ...chosen } }));
    return <Retried streams={retried} />;
  };
  return (
    <Section
      title="Parked events"
      lead="Streams that a read model does not follow, because an event of theirs could not be folded. The others go on."
      actions={(query.data?.parked.length ?? 0) > 0 && <RetryAll act={retry(undefined)} />}
    >
      <Loaded query={query} lines={3}>
        {({ parked }) => (
          <Table
            label="Parked events"
            rows={parked}
            keyOf={(each) => `${each.env} ${each.read_model} ${each.generation} ${each.stream}`}
            empty="No event is parked."
            columns={[
              { head: 'read model', cell: (each) => each.read_model },
              { head: 'in', cell: (each) => each.env },
              { head: 'stream', cell: (each) => <span className="id">{each.stream}</span> },
              { head: 'event', cell: ({ type, revision }) => `${type}, revision ${revision}` },
              { head: 'error', cell: ({ error }) => error },
              { head: 'events wait', number: true, cell: ({ waiting }) => count(waiting) },
              { head: 'since', cell: ({ since }) => <Time at={since} /> },
              {
                head: 'change',
                cell: ({ stream, read_model: model }) => (
                  <Action
                    label="Retry"
                    title="Retry this stream"
                    confirm="Retry"
                    small
                    wide
                    act={retry(stream, model)}
                  >
                    <p>Its events are folded with the code of this release, in their order.</p>
                  </Action>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function RetryAll({ act }: { act: () => Promise<ReactNode> }) {
  return (
    <Action label="Retry all" title="Retry all parked events" confirm="Retry" small wide act={act}>
      <p>
        They are folded with the code of this release, each stream in its order. What fails again stays
        parked.
      </p>
    </Action>
  );
}

type RetriedStream = Schemas['ParkedRetryResult']['retried'][number];

function Retried({ streams }: { streams: readonly RetriedStream[] }) {
  return (
    <Table
      label="What was retried"
      rows={streams}
      keyOf={(each) => `${each.env} ${each.read_model} ${each.stream}`}
      empty="Nothing was parked any more."
      columns={[
        { head: 'read model', cell: (each) => `${each.env} ${each.read_model}` },
        { head: 'stream', cell: (each) => <span className="id">{each.stream}</span> },
        { head: 'folded', number: true, cell: ({ folded }) => count(folded) },
        { head: 'still parked', number: true, cell: ({ still_parked: left }) => count(left) },
        { head: 'because', cell: ({ refused, failure }) => refused ?? failure?.error },
      ]}
    />
  );
}

function Stranded() {
  const { env } = useEnvironment();
  const query = api.useQuery('get', '/admin/v1/stranded', { params: { query: { env } } }, lively);
  const requeue = (job: string[]) => async () => {
    const { requeued } = await change(client.POST('/admin/v1/stranded/requeue', { body: { env, job } }));
    const tasks = requeued.reduce((sum, each) => sum + each.tasks, 0);
    return `${many(tasks, 'task')} put back.`;
  };
  return (
    <Section
      title="Stranded jobs"
      lead="They have neither a task nor a running attempt. The projector finds them within half a minute."
      actions={
        (query.data?.jobs.length ?? 0) > 0 && (
          <Action
            label="Requeue all"
            title="Requeue all stranded jobs"
            confirm="Requeue"
            small
            act={requeue([])}
          >
            <p>Each gets its task again, now. A task that is there stays as it is; nothing is charged.</p>
          </Action>
        )
      }
    >
      <Loaded query={query} lines={3}>
        {({ jobs }) => (
          <Table
            label="Stranded jobs"
            rows={jobs}
            keyOf={({ job_id }) => job_id}
            empty="No job is stranded."
            columns={[
              { head: 'job', cell: ({ job_id: id }) => <JobLink id={id} /> },
              { head: 'in', cell: (each) => each.env },
              { head: 'tenant', cell: ({ tenant_id: id }) => <TenantLink id={id} /> },
              { head: 'needs', cell: ({ needs }) => needs },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Orphans() {
  const { env } = useEnvironment();
  const query = api.useQuery('get', '/admin/v1/orphans', { params: { query: { env } } }, lively);
  const sweep = async () => {
    const { swept } = await change(client.POST('/admin/v1/orphans/sweep', { body: { env } }));
    const of = (name: 'refunded' | 'closed' | 'spared' | 'failed') =>
      count(swept.reduce((sum, each) => sum + each[name], 0));
    return `${of('refunded')} were refunded, ${of('closed')} closed, ${of('spared')} spared; ${of('failed')} could not be closed.`;
  };
  return (
    <Section
      title="Orphaned charges"
      lead="Open charges without a job, or of one that has ended. The projector gives them back after a minute."
      actions={
        (query.data?.orphans.length ?? 0) > 0 && (
          <Action label="Sweep now" title="Sweep orphaned charges" confirm="Sweep" small act={sweep}>
            <p>
              Their jobs are fenced off, so that none can come late, and each charge is given back to its
              tenant.
            </p>
          </Action>
        )
      }
    >
      <Loaded query={query} lines={3}>
        {({ orphans }) => (
          <Table
            label="Orphaned charges"
            rows={orphans}
            keyOf={({ charge_id }) => charge_id}
            empty="No charge is orphaned."
            columns={[
              { head: 'charge', cell: ({ charge_id: id }) => <Id id={id} /> },
              {
                head: 'job',
                cell: ({ job_id: id, ended }) => (ended === null ? <Id id={id} /> : <JobLink id={id} />),
              },
              { head: 'in', cell: (each) => each.env },
              { head: 'tenant', cell: ({ tenant_id: id }) => <TenantLink id={id} /> },
              { head: 'credits', number: true, cell: ({ credits }) => <Credits value={credits} /> },
              { head: 'age', number: true, cell: ({ age_seconds: age }) => duration(age) },
              {
                head: 'its job',
                cell: ({ fenced, ended }) => ended ?? (fenced ? 'fenced off' : 'is not there'),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

import { count, Credits, duration, Id, JobLink, many, Time } from '../shared/format.js';
import { Action, Loaded, Page, Section, Table } from '../shared/ui.js';
import { api, change, client, lively } from './api.js';
import { useEnvironment } from './environment.js';
import { TenantLink } from './tenant-name.js';

/** Faults that the service repairs by itself, or cannot repair. Each has the reason and the remedy. */
export function CarePage() {
  return (
    <Page title="Repair" lead="Work that stands still: parked events, stranded jobs, orphaned charges">
      <Parked />
      <Stranded />
      <Orphans />
    </Page>
  );
}

function Parked() {
  const { env } = useEnvironment();
  const query = api.useQuery('get', '/admin/v1/parked', { params: { query: { env } } }, lively);
  return (
    <Section
      title="Parked events"
      lead="Streams that a read model does not follow, because it could not fold one of their events. Other streams go on. Once a release folds the event, rebuild the read model."
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
            ]}
          />
        )}
      </Loaded>
    </Section>
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
      lead="Jobs with neither a task nor a running attempt. The projector finds them within half a minute."
      actions={
        (query.data?.jobs.length ?? 0) > 0 && (
          <Action
            label="Requeue all"
            title="Requeue all stranded jobs"
            confirm="Requeue"
            small
            act={requeue([])}
          >
            <p>Each gets its task again, now. Existing tasks stay; nothing is charged.</p>
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
      lead="Open charges without a job, or whose job has ended. The projector closes them after a minute."
      actions={
        (query.data?.orphans.length ?? 0) > 0 && (
          <Action label="Sweep now" title="Sweep orphaned charges" confirm="Sweep" small act={sweep}>
            <p>Their jobs are fenced off, so that none can start late. Each tenant gets the credits back.</p>
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

import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { ages, sinceHours, useFilters } from '../shared/filters.js';
import { count, Credits, JobLink, jobStates, Status, Time } from '../shared/format.js';
import { Loaded, Page, Select, Table, TextField, type Column } from '../shared/ui.js';
import { api, unhurried, type Schemas } from './api.js';
import { useEnvironment } from './environment.js';
import { OffsetPages, WorkflowSelect } from './filters.js';
import { Repairs } from './repairs.js';
import { TenantLink } from './tenant-name.js';

type Job = Schemas['JobsListResult']['jobs'][number];

const limit = 50;

export const jobColumns: readonly Column<Job>[] = [
  {
    head: 'job',
    cell: ({ job_id: id }) => <JobLink id={id} />,
  },
  { head: 'workflow', cell: ({ workflow }) => workflow },
  { head: 'state', cell: ({ status }) => <Status of={status} /> },
  { head: 'error', cell: ({ error_code }) => error_code },
  { head: 'model', cell: ({ model }) => model },
  {
    head: 'tenant',
    cell: ({ tenant_id: id }) => <TenantLink id={id} />,
  },
  { head: 'in', cell: ({ env }) => env },
  { head: 'credits', number: true, cell: ({ credits_cost }) => <Credits value={credits_cost} /> },
  { head: 'dispatched', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'took', number: true, cell: (job) => tookSeconds(job) },
];

function tookSeconds({ created_at, finished_at }: Job): string | undefined {
  if (finished_at === null) return undefined;
  return `${((Date.parse(finished_at) - Date.parse(created_at)) / 1000).toFixed(1)} s`;
}

export function JobsPage() {
  const { env } = useEnvironment();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const { value, set, offset } = useFilters(() => choose(new Set()));
  const query = api.useQuery(
    'get',
    '/admin/v1/jobs',
    { params: { query: { env, limit, offset, ...asked(value) } } },
    { ...unhurried, placeholderData: keepPreviousData },
  );
  const chosenJobs = (query.data?.jobs ?? []).filter(({ job_id }) => chosen.has(job_id));
  return (
    <Page
      title="Jobs"
      lead={query.data ? `${count(query.data.total)} in this list, latest first` : 'The latest first'}
      actions={<Repairs jobs={chosenJobs} finished={() => choose(new Set())} />}
    >
      <div className="filters">
        <Select label="State" value={value('status')} onChange={set('status')} options={jobStates} />
        <WorkflowSelect value={value('workflow')} onChange={set('workflow')} />
        <Select label="Dispatched" value={value('hours')} onChange={set('hours')} options={ages} />
        <TextField label="Model" value={value('model')} onChange={set('model')} placeholder="any" />
        <TextField label="Error code" value={value('error')} onChange={set('error')} placeholder="any" />
        <TextField label="Tenant" value={value('tenant')} onChange={set('tenant')} placeholder="any" />
      </div>
      <Loaded query={query} lines={12}>
        {({ jobs, total }) => (
          <>
            <Table
              label="Jobs"
              rows={jobs}
              keyOf={({ job_id }) => job_id}
              columns={jobColumns}
              chosen={chosen}
              choose={choose}
              empty="No job matches. Remove a filter, or look in the other environment."
            />
            <OffsetPages limit={limit} offset={offset} shown={jobs.length} total={total} go={set('offset')} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function asked(value: (name: string) => string) {
  const status = jobStates.find(([each]) => each !== '' && each === value('status'))?.[0];
  return {
    // One of the four of the list above.
    status: status as Job['status'] | undefined,
    workflow: value('workflow') || undefined,
    model: value('model') || undefined,
    error: value('error') || undefined,
    tenant: value('tenant') || undefined,
    from: sinceHours(value('hours')),
  };
}

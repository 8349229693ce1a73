import { Redirect, useParams } from 'wouter';
import { Id, JobLink } from '../shared/format.js';
import { Loaded, Page, Table } from '../shared/ui.js';
import { api } from './api.js';

/** A single job is shown at once; several, such as the photographs of a batch, are listed. */
export function SearchPage() {
  const { id = '' } = useParams();
  const query = api.useQuery('get', '/admin/v1/search', { params: { query: { id } } });
  const [only, ...more] = query.data?.jobs ?? [];
  if (only && more.length === 0) return <Redirect to={`/jobs/${only.job_id}`} replace />;
  return (
    <Page title="Search" lead={<Id id={id} whole />}>
      <Loaded query={query}>
        {({ jobs }) => (
          <Table
            label="Jobs found"
            rows={jobs}
            keyOf={({ job_id }) => job_id}
            empty="No job belongs to this id."
            columns={[
              {
                head: 'job',
                cell: ({ job_id }) => <JobLink id={job_id} />,
              },
              { head: 'environment', cell: ({ env }) => env },
              { head: 'found as', cell: ({ as }) => as },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

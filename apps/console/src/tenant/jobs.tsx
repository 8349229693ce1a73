import type { Answer } from '@atelier/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { ages, Pages, sinceHours, useFilters } from '../shared/filters.js';
import { count, JobLink, jobStates, Status, Time } from '../shared/format.js';
import { Empty, Loaded, Page, Select, Table } from '../shared/ui.js';
import { useAsked } from './api.js';
import { PassportButton } from './passport.js';

/** The types that the list can be limited to. */
const types = [
  'MODEL_GENERATOR',
  'BACKGROUND_GENERATOR',
  'COMPLEMENTARY_GARMENT_GENERATOR',
  'PRODUCT_TO_MODEL_DIRECT',
  'PDP_EXTRACTION',
  'BACKGROUND_SWAP_WITH_IMAGE',
  'BACKGROUND_SWAP_WITH_SPEC',
  'MODEL_SWAP_WITH_IMAGE',
] as ('MODEL_GENERATOR' | 'PDP_EXTRACTION')[];

const inWords = (type: string) => type.toLowerCase().replaceAll('_', ' ');

/** Reads page by page, and keeps the cursors of earlier pages for the way back. */
function useJobs(limit: number, only?: 'SUCCESS') {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const { value, set } = useFilters(() => setCursors([]));
  const type = types.find((each) => each === value('type'));
  const status = only ?? (jobStates.find(([each]) => each === value('status'))?.[0] || undefined);
  const since = sinceHours(value('hours'));
  const cursor = cursors.at(-1);
  const asked = {
    limit,
    ...(type && { job_type: [type] }),
    ...(status && { status }),
    ...(since !== undefined && { created_after: since }),
    ...(cursor !== undefined && { cursor }),
  };
  const query = useAsked(
    ['jobs', asked],
    (atelier, signal) => atelier.get('/v1/jobs', { ...asked, signal }),
    {
      refetchInterval: 5_000,
    },
  );
  return { query, value, set, cursors, setCursors };
}

type Filtered = ReturnType<typeof useJobs>;

function Filters({ value, set, withStatus }: Filtered & { withStatus: boolean }) {
  const named = types.map((each) => [each, inWords(each)] as const);
  return (
    <div className="filters">
      {withStatus && (
        <Select label="State" value={value('status')} onChange={set('status')} options={jobStates} />
      )}
      <Select label="Type" value={value('type')} onChange={set('type')} options={[['', 'any'], ...named]} />
      <Select label="Ordered" value={value('hours')} onChange={set('hours')} options={ages} />
    </div>
  );
}

function CursorPages({ query, cursors, setCursors }: Filtered) {
  const { total = 0, next_cursor: next = null } = query.data ?? {};
  return (
    <Pages
      newer={cursors.length > 0 ? () => setCursors(cursors.slice(0, -1)) : undefined}
      older={next === null ? undefined : () => setCursors([...cursors, next])}
    >
      {count(total)} in all
    </Pages>
  );
}

const nothing = (
  <>
    No job matches. Remove a filter, or <Link href="/playground">order something</Link>.
  </>
);

export function OwnJobsPage() {
  const jobs = useJobs(50);
  return (
    <Page title="Jobs" lead="All orders, newest first">
      <Filters {...jobs} withStatus />
      <Loaded query={jobs.query} lines={12}>
        {({ jobs: rows }) => (
          <Table
            label="Jobs"
            rows={rows}
            keyOf={({ public_id }) => public_id}
            empty={nothing}
            columns={[
              {
                head: 'picture',
                cell: ({ thumbnail_url: url }) =>
                  url && <img className="thumb" src={url} alt="" loading="lazy" />,
              },
              {
                head: 'job',
                cell: ({ public_id: id }) => <JobLink id={id} />,
              },
              { head: 'type', cell: ({ job_type }) => inWords(job_type) },
              { head: 'state', cell: ({ status }) => <Status of={status} /> },
              { head: 'ordered', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
          />
        )}
      </Loaded>
      <CursorPages {...jobs} />
    </Page>
  );
}

/** Pictures of jobs side by side. */
export function Wall({ jobs }: { jobs: Answer<'/v1/jobs'>['jobs'] }) {
  return (
    <ul className="pictures">
      {jobs.map(({ public_id: id, job_type: type, thumbnail_url: url, created_at: at }) => (
        <li key={id}>
          <figure>
            <Link href={`/jobs/${id}`}>
              {url ? (
                <img src={url} alt={inWords(type)} loading="lazy" />
              ) : (
                <span className="picture">{inWords(type)}</span>
              )}
            </Link>
            <figcaption>
              {inWords(type)}, <Time at={at} />
              <br />
              <PassportButton jobId={id} />
            </figcaption>
          </figure>
        </li>
      ))}
    </ul>
  );
}

/** The pictures of the jobs, as a wall. */
export function OwnPicturesPage() {
  const jobs = useJobs(60, 'SUCCESS');
  return (
    <Page title="Pictures" lead="Pictures of your jobs, newest first">
      <Filters {...jobs} withStatus={false} />
      <Loaded query={jobs.query} lines={12}>
        {({ jobs: rows }) => (rows.length === 0 ? <Empty>{nothing}</Empty> : <Wall jobs={rows} />)}
      </Loaded>
      <CursorPages {...jobs} />
    </Page>
  );
}

import { keepPreviousData } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useFilters } from '../shared/filters.js';
import { Id, Time } from '../shared/format.js';
import { Empty, Loaded, Page, TextField } from '../shared/ui.js';
import { api } from './api.js';
import { useEnvironment } from './environment.js';
import { OffsetPages, WorkflowSelect } from './filters.js';
import { Repairs } from './repairs.js';

export function PictureList({ children, small = false }: { children: ReactNode; small?: boolean }) {
  return <ul className={small ? 'pictures small' : 'pictures'}>{children}</ul>;
}

interface PictureParts {
  readonly url: string;
  readonly thumbnail_url: string;
  readonly about: string;
  readonly children?: ReactNode;
}

/** Its URL expires after a quarter of an hour. A picture that was not loaded by then shows that. */
export function Picture({ url, thumbnail_url: thumbnail, about, children }: PictureParts) {
  const [missing, setMissing] = useState(false);
  return (
    <li>
      <figure>
        {missing ? (
          <div className="picture missing">It cannot be loaded. Reload the page.</div>
        ) : (
          <a href={url} target="_blank" rel="noreferrer" title="The whole picture, in a new tab">
            <img src={thumbnail} alt={about} loading="lazy" onError={() => setMissing(true)} />
          </a>
        )}
        <figcaption>{children ?? about}</figcaption>
      </figure>
    </li>
  );
}

const limit = 48;

export function PicturesPage() {
  const { env } = useEnvironment();
  const { value, set, offset } = useFilters();
  const sought = {
    workflow: value('workflow') || undefined,
    model: value('model') || undefined,
    tenant: value('tenant') || undefined,
  };
  const query = api.useQuery(
    'get',
    '/admin/v1/pictures',
    { params: { query: { env, limit, offset, ...sought } } },
    { placeholderData: keepPreviousData, staleTime: 60_000 },
  );
  return (
    <Page title="Pictures" lead="Pictures of jobs, latest first">
      <div className="filters">
        <WorkflowSelect value={value('workflow')} onChange={set('workflow')} />
        <TextField label="Model" value={value('model')} onChange={set('model')} placeholder="any" />
        <TextField label="Tenant" value={value('tenant')} onChange={set('tenant')} placeholder="any" />
      </div>
      <Loaded query={query} lines={12}>
        {({ jobs, total }) => (
          <>
            {jobs.length === 0 && <Empty>No picture matches. Remove a filter.</Empty>}
            <PictureList>
              {jobs.flatMap(({ pictures, ...job }) =>
                pictures.map((picture) => (
                  <Picture key={picture.asset_id} {...picture} about={`${picture.label}, by ${job.workflow}`}>
                    <Link href={`/jobs/${job.job_id}`}>
                      {job.workflow} <Id id={job.job_id} />
                    </Link>
                    <br />
                    {job.model}, {picture.width} × {picture.height}, <Time at={job.created_at} />
                    <Repairs jobs={[{ ...job, status: 'SUCCESS' }]} only={['retry']} />
                  </Picture>
                )),
              )}
            </PictureList>
            <OffsetPages limit={limit} offset={offset} shown={jobs.length} total={total} go={set('offset')} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { count, Id, JobLink, many, Status, Time } from '../shared/format.js';
import { Loaded, Section, Table, useSought } from '../shared/ui.js';
import { api, type Schemas } from './api.js';
import type { AccountParts } from './environment.js';
import { OffsetPages } from './filters.js';

type Release = Schemas['ReleasesListResult']['releases'][number];

const limit = 20;

/** The uses of pictures that persons allow. Tenants grant and end releases by their own API. */
export function Releases({ tenant, env }: AccountParts) {
  const [offset, go] = useState(0);
  const [open, setOpen] = useState<string>();
  const path = { tenant };
  const query = api.useQuery(
    'get',
    '/admin/v1/tenants/{tenant}/releases',
    { params: { path, query: { env, limit, offset } } },
    { placeholderData: keepPreviousData },
  );
  const rule = api.useQuery('get', '/admin/v1/tenants/{tenant}/release-rule', {
    params: { path, query: { env } },
  });
  return (
    <>
      <Section
        title="Model releases"
        lead={`The uses of pictures that persons allow.${ruleInWords(rule.data?.required)}`}
      >
        <Loaded query={query} lines={3}>
          {({ releases, total }) => (
            <>
              <ReleasesTable releases={releases} show={setOpen} />
              <OffsetPages
                limit={limit}
                offset={offset}
                shown={releases.length}
                total={total}
                go={(text) => go(Number(text))}
              />
            </>
          )}
        </Loaded>
      </Section>
      {open !== undefined && <Uses key={open} tenant={tenant} env={env} release={open} />}
    </>
  );
}

interface ReleasesTableParts {
  readonly releases: readonly Release[];
  readonly show: (id: string) => void;
}

function ReleasesTable({ releases, show }: ReleasesTableParts) {
  return (
    <Table
      label="Model releases"
      rows={releases}
      keyOf={({ release_id }) => release_id}
      empty="The tenant has no release."
      columns={[
        { head: 'release', cell: ({ release_id: id }) => <Id id={id} /> },
        { head: 'person', cell: ({ data_subject: person }) => person },
        { head: 'state', cell: ({ status }) => <Status of={status} /> },
        { head: 'workflows', cell: ({ workflows }) => allOr(workflows) },
        { head: 'uses', cell: ({ uses }) => allOr(uses) },
        { head: 'in', cell: ({ territories }) => allOr(territories) },
        { head: 'fee', cell: ({ fee }) => fee && feeInWords(fee) },
        { head: 'ends', cell: ({ ended_at, expires_at }) => <Time at={ended_at ?? expires_at} whole /> },
        {
          head: 'jobs',
          cell: ({ release_id: id }) => (
            <Button className="button small" onPress={() => show(id)}>
              Show
            </Button>
          ),
        },
      ]}
    />
  );
}

function ruleInWords(required: boolean | undefined): string {
  if (required === undefined) return '';
  return required
    ? ' A dispatch about a person needs a release that covers it.'
    : ' A dispatch about a person does not need one.';
}

const allOr = (some: readonly string[]) => (some.length === 0 ? 'all' : some.join(', '));

/** Money is in hundredths of its currency. */
function feeInWords({ amount, unit }: { amount: number; unit: string }): string {
  return unit === 'credits' ? many(amount, 'credit') : `${(amount / 100).toFixed(2)} ${unit}`;
}

function Uses({ tenant, env, release }: AccountParts & { release: string }) {
  const params = { path: { tenant, release }, query: { env, limit: 100 } };
  const query = api.useQuery('get', '/admin/v1/tenants/{tenant}/releases/{release}/uses', { params });
  const place = useSought<HTMLDivElement>(query.data !== undefined);
  return (
    <div ref={place}>
      <Section title={`Jobs under release …${release.slice(-8)}`}>
        <Loaded query={query} lines={3}>
          {({ uses, total, owed }) => (
            <>
              <p>
                {many(total, 'job')}
                {uses.length < total && `, of which ${count(uses.length)} are shown`}.{' '}
                {owed.length === 0
                  ? 'No fee is owed.'
                  : `Owed: ${owed.map((each) => `${feeInWords(each)} for ${many(each.jobs, 'job')}`).join(', ')}.`}
              </p>
              <Table
                label="Jobs under the release"
                rows={uses}
                keyOf={({ job_id }) => job_id}
                empty="No job was ordered under it yet."
                columns={[
                  { head: 'job', cell: ({ job_id: id }) => <JobLink id={id} /> },
                  { head: 'workflow', cell: ({ operation }) => operation },
                  { head: 'state', cell: ({ status }) => <Status of={status} /> },
                  { head: 'ordered', cell: ({ used_at: at }) => <Time at={at} /> },
                  {
                    head: 'fee',
                    cell: ({ fee_amount: amount, fee_unit: unit }) =>
                      amount !== null && unit !== null && feeInWords({ amount, unit }),
                  },
                ]}
              />
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { count, Id, JobLink, many, Status, Time } from '../shared/format.js';
import { Action, Loaded, numberOf, Section, Table, textOf, TextField, useSought } from '../shared/ui.js';
import { api, change, client, type Schemas } from './api.js';
import type { AccountParts } from './environment.js';
import { OffsetPages } from './filters.js';
import type { paths } from './openapi.js';

type Release = Schemas['ReleasesListResult']['releases'][number];
type Granted =
  paths['/admin/v1/tenants/{tenant}/releases']['post']['requestBody']['content']['application/json'];

const limit = 20;

/** The uses of pictures that persons allow. */
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
        actions={<GrantRelease tenant={tenant} env={env} />}
      >
        <Loaded query={query} lines={3}>
          {({ releases, total }) => (
            <>
              <ReleasesTable tenant={tenant} env={env} releases={releases} show={setOpen} />
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

interface ReleasesTableParts extends AccountParts {
  readonly releases: readonly Release[];
  readonly show: (id: string) => void;
}

function ReleasesTable({ tenant, env, releases, show }: ReleasesTableParts) {
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
        {
          head: 'change',
          cell: (release) =>
            release.status === 'active' && <EndRelease tenant={tenant} env={env} of={release} />,
        },
      ]}
    />
  );
}

function GrantRelease({ tenant, env }: AccountParts) {
  const grant = async (form: FormData) => {
    const listOf = (name: string) =>
      (textOf(form, name) ?? '')
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean);
    const body = {
      env,
      data_subject: textOf(form, 'person') ?? '',
      // The service refuses a name that is no workflow, and says which ones there are.
      workflows: listOf('workflows') as NonNullable<Granted['workflows']>,
      uses: listOf('uses'),
      territories: listOf('territories'),
      expires_at: textOf(form, 'ends'),
      fee_credits: numberOf(form, 'fee'),
      document: textOf(form, 'document'),
    };
    await change(client.POST('/admin/v1/tenants/{tenant}/releases', { params: { path: { tenant } }, body }));
    return 'The release is granted.';
  };
  return (
    <Action
      label="Grant a release…"
      title={`Record in ${env} what a person allows`}
      confirm="Grant it"
      small
      act={grant}
    >
      <p>Separate several entries with commas. A field that stays empty sets no limit.</p>
      <TextField label="The person’s name as the tenant uses it" name="person" required />
      <TextField label="Workflows" name="workflows" hint="For example: try-on, extract" />
      <TextField label="Uses" name="uses" hint="For example: e-commerce, print" />
      <TextField label="Countries" name="territories" hint="For example: DE, AT" />
      <TextField label="Ends at" name="ends" hint="For example: 2027-01-31T12:00:00Z" />
      <TextField label="Fee for each job, in credits" name="fee" type="number" min={0} />
      <TextField label="Where the signed document is kept" name="document" />
    </Action>
  );
}

function EndRelease({
  tenant,
  env,
  of: { release_id: release, data_subject: person },
}: AccountParts & { of: Release }) {
  const end = async (form: FormData) => {
    const params = { path: { tenant, release } };
    const body = { env, reason: textOf(form, 'reason') };
    await change(client.POST('/admin/v1/tenants/{tenant}/releases/{release}/withdraw', { params, body }));
    return 'The release has ended.';
  };
  return (
    <Action label="End" title={`End the release of ${person}`} confirm="End it" danger small act={end}>
      <p>
        It ends for good. Jobs that were ordered under it and have not begun are cancelled and refunded.
        Pictures that are there already stay, and fees that are owed stay owed.
      </p>
      <TextField label="Why, for the record" name="reason" />
    </Action>
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

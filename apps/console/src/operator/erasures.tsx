import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useFilters } from '../shared/filters.js';
import { count, Id, many, Status, Time } from '../shared/format.js';
import {
  Action,
  Facts,
  JsonDetails,
  Loaded,
  Section,
  Select,
  Table,
  textOf,
  TextField,
  useSought,
} from '../shared/ui.js';
import { api, change, client, done, lively, save, type Schemas } from './api.js';
import type { AccountParts } from './environment.js';
import { OffsetPages } from './filters.js';
import { keyOf, OnceField } from './once.js';

type Erasure = Schemas['ErasuresListResult']['erasures'][number];
type Shown = Schemas['ErasuresShowResult'];

const limit = 20;

export function Erasures({ tenant, env }: AccountParts) {
  const { set, offset } = useFilters();
  const [open, setOpen] = useState<string>();
  const params = { path: { tenant }, query: { env, limit, offset } };
  const query = api.useQuery(
    'get',
    '/admin/v1/tenants/{tenant}/erasures',
    { params },
    { ...lively, placeholderData: keepPreviousData },
  );
  return (
    <>
      <Section
        title="Erasures"
        lead="Everything that was erased for good: by operators, by the tenant, or because its time was over."
        actions={<Erase tenant={tenant} env={env} />}
      >
        <Loaded query={query} lines={3}>
          {({ erasures, total }) => (
            <>
              <Table
                label="Erasures"
                rows={erasures}
                keyOf={({ erasure_id }) => erasure_id}
                empty="Nothing was erased yet."
                columns={[
                  { head: 'erasure', cell: ({ erasure_id: id }: Erasure) => <Id id={id} /> },
                  { head: 'state', cell: ({ status }) => <Status of={status} /> },
                  { head: 'by', cell: ({ by }) => <span className="id">{by}</span> },
                  { head: 'things named', number: true, cell: ({ targets }) => count(targets) },
                  { head: 'ordered', cell: ({ requested_at: at }) => <Time at={at} /> },
                  { head: 'completed', cell: ({ completed_at: at }) => <Time at={at} /> },
                  {
                    head: 'receipt',
                    cell: ({ erasure_id: id }) => (
                      <Button className="button small" onPress={() => setOpen(id)}>
                        Show
                      </Button>
                    ),
                  },
                ]}
              />
              <OffsetPages
                limit={limit}
                offset={offset}
                shown={erasures.length}
                total={total}
                go={set('offset')}
              />
            </>
          )}
        </Loaded>
      </Section>
      {open !== undefined && <OneErasure key={open} id={open} />}
    </>
  );
}

const kinds = [
  ['upload', 'an upload'],
  ['render', 'the pictures of a job'],
  ['job', 'a job, with pictures and words'],
  ['product', 'a product'],
  ['person', 'a person, with all that belongs to them'],
] as const;

function Erase({ tenant, env }: AccountParts) {
  const order = (form: FormData) => ({
    env,
    kind: kinds.find(([kind]) => kind === form.get('kind'))?.[0] ?? 'upload',
    name: textOf(form, 'name') ?? '',
    derived: form.has('derived'),
  });
  const params = { path: { tenant } };
  const look = async (form: FormData) => {
    const body = { ...order(form), dry_run: true };
    const counted = await done(client.POST('/admin/v1/tenants/{tenant}/erasures', { params, body }));
    return counted.dry_run && <WouldErase {...counted} />;
  };
  const erase = async (form: FormData) => {
    const sent = { params: { ...params, header: keyOf(form) }, body: order(form) };
    await change(client.POST('/admin/v1/tenants/{tenant}/erasures', sent));
    return 'The erasure has begun. The list shows when it is completed.';
  };
  return (
    <Action
      label="Erase…"
      title={`Erase something in ${env}`}
      confirm="Erase for good"
      danger
      small
      look={{ label: 'Count', ask: look }}
      act={erase}
    >
      <p>
        Pictures and words are destroyed and <strong>cannot be brought back</strong>. Amounts, times and ids
        stay. The record of actions does not keep the id or name that you enter.
      </p>
      <OnceField />
      <Select label="What" name="kind" options={kinds} />
      <TextField
        label="Its id, or the person’s name"
        name="name"
        hint="Pictures of a job: the job’s id. A person: the name that the tenant uses."
        required
      />
      <label className="check">
        <input type="checkbox" name="derived" /> Also the pictures and jobs that were made from it
      </label>
    </Action>
  );
}

type Counted = Extract<Schemas['ErasuresRequestResult'], { dry_run: true }>;

function WouldErase({ size, more }: Pick<Counted, 'size' | 'more'>) {
  const things = [
    [size.pictures, 'picture'],
    [size.jobs, 'job'],
    [size.products, 'product'],
    [size.records, 'record'],
  ] as const;
  const there = things.filter(([found]) => found > 0).map(([found, thing]) => many(found, thing));
  return (
    <div className="problem mild" role="status">
      <strong>This would erase {there.join(', ')}.</strong>
      {size.unfinished_jobs > 0 && (
        <span>It also cancels and refunds {many(size.unfinished_jobs, 'unfinished job')}.</span>
      )}
      {more && (
        <span>More belongs to this person than one erasure takes. Repeat it once it is completed.</span>
      )}
    </div>
  );
}

const steps: Readonly<Record<Shown['steps'][number]['step'], string>> = {
  refused: 'callers are refused',
  bytes: 'pictures are gone from the storage',
  rows: 'answers and messages are emptied',
  keys: 'keys of the words are destroyed',
  vendors: 'vendors are asked to delete',
};

function OneErasure({ id }: { id: string }) {
  const query = api.useQuery(
    'get',
    '/admin/v1/erasures/{erasure}',
    { params: { path: { erasure: id } } },
    { refetchInterval: ({ state: { data } }) => (data?.status === 'completed' ? false : 2_000) },
  );
  const place = useSought<HTMLDivElement>(query.data !== undefined);
  return (
    <div ref={place}>
      <Section
        title={`Erasure …${id.slice(-8)}`}
        actions={query.data?.receipt && <SaveReceipt of={query.data} />}
      >
        <Loaded query={query} lines={4}>
          {(erasure) => <ErasureFacts of={erasure} />}
        </Loaded>
      </Section>
    </div>
  );
}

function ErasureFacts({ of: { receipt, vendors, ...erasure } }: { of: Shown }) {
  return (
    <>
      <Facts
        of={[
          ['State', <Status key="state" of={erasure.status} />],
          ['By', erasure.by],
          ['Ordered', <Time key="at" at={erasure.requested_at} whole />],
          ['Completed', <Time key="end" at={erasure.completed_at} whole />],
          ['With what was made from it', erasure.derived ? 'yes' : 'no'],
          ['Done again after a restore', erasure.again && 'yes'],
          [
            'Vendors',
            vendors && `deleted ${many(vendors.deleted, 'call')}, refused ${count(vendors.refused)}`,
          ],
          ['Signed', receipt && (receipt.signature === null ? 'no: the service has no key' : 'yes')],
        ]}
      />
      <Table
        label="Steps"
        rows={erasure.steps}
        keyOf={({ step }) => step}
        empty="No step is done yet."
        columns={[
          { head: 'step', cell: ({ step }) => steps[step] },
          {
            head: 'how many',
            cell: ({ counts }) =>
              Object.entries(counts)
                .map(([what, each]) => `${what.replaceAll('_', ' ')} ${count(each)}`)
                .join(', '),
          },
          { head: 'done', cell: ({ done_at: at }) => <Time at={at} /> },
        ]}
      />
      {receipt && (
        <Table
          label="What remains elsewhere"
          rows={receipt.remains}
          keyOf={({ where }) => where}
          empty="Nothing remains."
          columns={[
            { head: 'remains at', cell: ({ where }) => where },
            {
              head: 'until',
              cell: ({ until }) => (until === null ? 'unknown' : <Time at={until} whole />),
            },
          ]}
        />
      )}
      <JsonDetails
        of={erasure.targets}
        label={`${many(erasure.targets.length, 'thing')} named in the order`}
      />
    </>
  );
}

/** The file that `erasures verify` checks. */
function SaveReceipt({ of: { erasure_id: id, receipt } }: { of: Shown }) {
  return (
    <Button
      className="button small"
      onPress={() => save(new Blob([JSON.stringify(receipt, null, 2)]), `erasure-${id}.json`)}
    >
      Save the receipt
    </Button>
  );
}

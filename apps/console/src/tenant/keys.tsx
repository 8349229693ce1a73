import type { ListRow } from '@atelier/client';
import { useState } from 'react';
import { useFilters } from '../shared/filters.js';
import { count, Credits, Id, Status, Time } from '../shared/format.js';
import { Loaded, Page, Section, Select, Table, type Column } from '../shared/ui.js';
import { limit, Turn } from './account.js';
import { isTestKey, keySession, useAsked } from './api.js';

const dayMs = 86_400_000;
const usual = '30';
const periods = [
  ['1', 'the last day'],
  ['7', 'the last week'],
  [usual, 'the last 30 days'],
  ['90', 'the last 90 days'],
  ['366', 'the last year'],
] as const;

/** The keys of the account, and what each has spent. */
export function KeysPage() {
  const isTest = isTestKey(keySession.key ?? '');
  return (
    <Page
      title="Keys"
      lead={`The ${isTest ? 'test' : 'live'} keys of your account. Your operator makes, rotates and revokes them.`}
    >
      <Keys />
      <Spending />
    </Page>
  );
}

function Keys() {
  const [offset, go] = useState(0);
  const query = useAsked(['keys', offset], (atelier) => atelier.get('/v1/keys', { limit, offset }));
  return (
    <Loaded query={query} lines={4}>
      {({ items, total }) => (
        <>
          <Table
            label="Keys"
            rows={items}
            keyOf={({ key_id }) => key_id}
            empty="No key is listed yet. A key appears here a moment after it was made."
            columns={[
              { head: 'for', cell: ({ label }) => label || <span className="soft">no label</span> },
              { head: 'begins with', cell: ({ prefix }) => <span className="id">{prefix}…</span> },
              {
                head: 'state',
                cell: ({ status, is_current: isCurrent }) => (
                  <>
                    <Status of={status} />
                    {isCurrent && <span className="soft"> (used here)</span>}
                  </>
                ),
              },
              { head: 'may', cell: ({ capabilities }) => capabilities.join(', ') },
              { head: 'made', cell: ({ issued_at }) => <Time at={issued_at} /> },
              {
                head: 'ends',
                cell: ({ revoked_at: revoked, retires_at: retires }) => (
                  <Time at={revoked ?? retires} whole />
                ),
              },
            ]}
          />
          <Turn {...{ offset, go, total, shown: items.length }} />
        </>
      )}
    </Loaded>
  );
}

const sums: readonly Column<ListRow<'/v1/usage/by-key'>>[] = [
  {
    head: 'key',
    cell: ({ key_id: id, label }) =>
      id === null ? (
        'unknown'
      ) : (
        <>
          {label} <Id id={id} />
        </>
      ),
  },
  { head: 'charges', number: true, cell: ({ charges }) => count(charges) },
  {
    head: 'charged',
    number: true,
    cell: ({ credits_charged: credits }) => <Credits value={credits} />,
  },
  {
    head: 'given back',
    number: true,
    cell: ({ credits_refunded: credits }) => <Credits value={credits} />,
  },
  {
    head: 'spent',
    number: true,
    cell: ({ credits_spent: credits }) => (
      <strong>
        <Credits value={credits} />
      </strong>
    ),
  },
  { head: 'last charge', cell: ({ last_charged_at: at }) => <Time at={at} /> },
];

function Spending() {
  const [offset, go] = useState(0);
  const { value, set } = useFilters(() => go(0));
  const days = periods.find(([each]) => each === value('days'))?.[0] ?? usual;
  const query = useAsked(['keys', 'spending', days, offset], (atelier) => {
    const to = new Date();
    const from = new Date(to.getTime() - Number(days) * dayMs);
    return atelier.get('/v1/usage/by-key', {
      since: from.toISOString(),
      until: to.toISOString(),
      limit,
      offset,
    });
  });
  return (
    <Section
      title="Spending by key"
      actions={<Select label="Period" value={days} onChange={set('days')} options={periods} />}
    >
      <Loaded query={query} lines={4}>
        {({ items, total }) => (
          <>
            <Table
              label="Spending by key"
              rows={items}
              keyOf={({ key_id }) => key_id ?? 'unknown'}
              empty="No key was charged in this period. Choose a longer one, or order something."
              columns={sums}
            />
            <Turn {...{ offset, go, total, shown: items.length }} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

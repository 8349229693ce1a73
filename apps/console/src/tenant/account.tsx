import type { Atelier, ListRow } from '@atelier/client';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { count, Credits, Id, JobLink, Status, Time } from '../shared/format.js';
import { Loaded, Page, Section, Table } from '../shared/ui.js';
import { answered, ownClient, useAsked, useCredits } from './api.js';
import { Download } from './download.js';

/** Rows on a page. */
export const limit = 50;

interface TurnParts {
  readonly offset: number;
  readonly shown: number;
  readonly total: number;
  readonly go: (offset: number) => void;
}

/** The way to the pages before and after. */
export function Turn({ offset, shown, total, go }: TurnParts) {
  if (total <= shown) return null;
  return (
    <div className="more">
      <span>
        {count(offset + 1)} to {count(offset + shown)} of {count(total)}
      </span>
      <span className="actions">
        <Button
          className="button small"
          isDisabled={offset === 0}
          onPress={() => go(Math.max(0, offset - limit))}
        >
          Newer
        </Button>
        <Button
          className="button small"
          isDisabled={offset + shown >= total}
          onPress={() => go(offset + limit)}
        >
          Older
        </Button>
      </span>
    </div>
  );
}

type Entry = ListRow<'/v1/transactions'>;

/**
 * The sum of the open charges. Only jobs that have not ended have one, so no open charge is older than the
 * oldest of these jobs.
 */
async function heldBy(atelier: Atelier): Promise<number> {
  let oldest = new Date().toISOString();
  for (const status of ['NOT_STARTED', 'IN_PROGRESS'] as const)
    for await (const { created_at: at } of atelier.list('/v1/jobs', { status })) if (at < oldest) oldest = at;
  // A charge comes a moment before its job.
  const from = Date.parse(oldest) - 60_000;
  let held = 0;
  for await (const { status, credits_delta: delta, created_at: at } of atelier.list('/v1/transactions')) {
    if (Date.parse(at) < from) break;
    if (status === 'PENDING') held -= delta;
  }
  return held;
}

export function CreditsPage() {
  const [offset, go] = useState(0);
  const query = useAsked(['credits', 'statement', offset], (atelier) =>
    atelier.get('/v1/transactions', { limit, offset }),
  );
  return (
    <Page title="Credits" lead="Balance, held credits, and every movement">
      <Sums />
      <Section title="Statement" actions={<Csv />}>
        <Loaded query={query} lines={8}>
          {({ items, total }) => (
            <>
              <Table
                label="Statement"
                rows={items}
                keyOf={({ id }) => id}
                empty="Nothing was bought or spent yet."
                columns={[
                  { head: 'when', cell: ({ created_at }) => <Time at={created_at} /> },
                  { head: 'what', cell: ({ label }) => label },
                  { head: 'kind', cell: ({ kind }) => kind },
                  { head: 'state', cell: ({ status }) => <Status of={status} /> },
                  {
                    head: 'credits',
                    number: true,
                    cell: ({ credits_delta }) => <Credits value={credits_delta} signed />,
                  },
                ]}
              />
              <Turn {...{ offset, go, total, shown: items.length }} />
            </>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

function Sums() {
  const credits = useCredits();
  const held = useAsked(['credits', 'held'], heldBy);
  return (
    <Loaded query={credits} lines={3}>
      {(account) => (
        <div className="tiles">
          <Amount name="Balance" value={count(account.balance)} about="credits left to spend" />
          <Amount
            name="Held"
            value={held.data === undefined ? '…' : count(held.data)}
            about="charged for jobs that have not ended"
          />
          <Amount
            name="Spent today"
            value={count(account.daily_spend_today)}
            about={
              account.daily_spend_cap_credits === 0
                ? 'no daily cap'
                : `of ${count(account.daily_spend_cap_credits)} a day`
            }
          />
          <Amount
            name="Plan"
            value={account.plan}
            about={`${count(account.rate_limit_per_min)} requests a minute`}
          />
        </div>
      )}
    </Loaded>
  );
}

function Amount({ name, value, about }: { name: string; value: string; about: string }) {
  return (
    <div className="tile">
      <span className="name">{name}</span>
      <span className="value">{value}</span>
      <span className="about">{about}</span>
    </div>
  );
}

async function wholeStatement(): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of ownClient().list('/v1/transactions')) entries.push(entry);
  return entries;
}

/** Oldest first, with the balance after each row. It begins at 0 and ends at the balance. */
function csvOf(newestFirst: readonly Entry[]): string {
  const rows = newestFirst.toReversed();
  let balance = 0;
  const lines = rows.map(({ created_at: at, id, kind, label, status, credits_delta: delta }) => {
    balance += delta;
    return [at, id, kind, label, status, delta, balance].map(cell).join(',');
  });
  return ['created_at,id,kind,label,status,credits,balance', ...lines, ''].join('\r\n');
}

/** Spreadsheets read text that begins with one of these characters as a formula. */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function Csv() {
  const read = async () => new Blob([csvOf(await answered(wholeStatement()))], { type: 'text/csv' });
  return <Download label="Download CSV" as="atelier-statement.csv" read={read} />;
}

export function UsagePage() {
  const [offset, go] = useState(0);
  const query = useAsked(['usage', offset], (atelier) => atelier.get('/v1/usage', { limit, offset }), {
    refetchInterval: 5_000,
  });
  return (
    <Page title="Usage" lead="Every dispatch, accepted or refused, and every write that costs nothing">
      <Loaded query={query} lines={12}>
        {({ items, total }) => (
          <>
            <Table
              label="Usage"
              rows={items}
              keyOf={({ request_id }) => request_id}
              empty="This key’s account has made no calls yet."
              columns={[
                { head: 'when', cell: ({ created_at }) => <Time at={created_at} /> },
                { head: 'request', cell: ({ request_id }) => <Id id={request_id} /> },
                { head: 'call', cell: ({ method, endpoint }) => `${method} ${endpoint}` },
                { head: 'state', cell: ({ status }) => <Status of={status} /> },
                {
                  head: 'answer',
                  cell: ({ http_status: code, error_code: error }) => [code, error].filter(Boolean).join(' '),
                },
                {
                  head: 'charged',
                  number: true,
                  cell: ({ credits_charged }) => <Credits value={credits_charged} />,
                },
                {
                  head: 'given back',
                  number: true,
                  cell: ({ credits_refunded }) => <Credits value={credits_refunded} />,
                },
                {
                  head: 'took',
                  number: true,
                  cell: ({ latency_ms: ms }) => ms !== undefined && `${(ms / 1000).toFixed(1)} s`,
                },
                {
                  head: 'job',
                  cell: ({ job_id: id }) => id && <JobLink id={id} />,
                },
              ]}
            />
            <Turn {...{ offset, go, total, shown: items.length }} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

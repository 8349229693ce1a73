import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareAtelier, type AtelierUnderLoad } from './atelier.js';
import { spent, spentEach, statisticsDelayMs } from './cost.js';
import type { BenchServer } from './databases.js';
import { dispatchOne } from './load.js';
import { tell } from './results.js';

const usualEvents = 1_000_000;
const waitingTasks = 200_000;
const [fewTenants, manyTenants] = [64, 10_000];
const openCharges = 5_000;
const [pageSize, farPage] = [20, 1_000];
const connections = 8;
const dispatches = 2_000;
const pages = 300;
const touches = 200;

/**
 * Something that grows, and what a dispatch or a page costs before and after: milliseconds of CPU of API,
 * projector and PostgreSQL.
 */
type Growth = readonly [what: string, small: number, large: number];

/**
 * Measures a dispatch and a page of a list before and after each thing has grown; earlier growth stays in
 * place.
 * @param events how many are added to the log, and to one account
 */
export async function benchGrowth(server: BenchServer, events = usualEvents): Promise<void> {
  const atelier = await prepareAtelier(server.url, manyTenants + 2);
  const client = new pg.Client({ connectionString: atelier.databaseUrl });
  await client.connect();
  const [old, busy, ...keys] = atelier.keys as [string, string, ...string[]];
  const [oldTenant, busyTenant] = atelier.tenants as [string, string, ...string[]];
  const few = keys.slice(0, fewTenants);
  const each = (ofKeys: readonly string[], count = dispatches) =>
    costOf(server, atelier, count, async (place) =>
      answered(await dispatchOne(atelier.url, ofKeys[place % ofKeys.length]!), 202),
    );
  const touch = (tenant: string) =>
    costOf(server, atelier, touches, async () => void (await atelier.untouched().read('live', tenant)), {
      ...atelier.pids,
      bench: process.pid,
    });
  const page = (query: string) => costOf(server, atelier, pages, () => list(atelier, busy, query));
  const grown: Growth[] = [];
  const note = (...growth: Growth) => {
    grown.push(growth);
    console.log(lineOf(growth).join('  '));
  };
  try {
    await each(few);
    let before = await each(few);
    await addTasks(client);
    let after = await each(few);
    note(`0 and ${waitingTasks} waiting tasks`, before, after);

    before = after;
    await each([old], 10);
    await addEvents(client, oldTenant, events);
    await atelier.catchUpSeconds();
    after = await each(few);
    note(`few and ${events} events in the log`, before, after);
    await each([old], 1);
    note(`an account of few and of ${events} events`, await each([busy], 500), await each([old], 500));
    note('the first touch of either', await touch(busyTenant), await touch(oldTenant));

    const open = await each([busy], 500);
    await each([busy], openCharges);
    note(`1,000 and ${openCharges + 1_000} open charges of an account`, open, await each([busy], 500));

    await each(keys, keys.length);
    note(`${fewTenants} and ${manyTenants} tenants`, await each(few), await each(keys));

    await addJobs(client, busyTenant);
    const first = await page('');
    note(`first and ${farPage}th page by offset`, first, await page(`&offset=${(farPage - 1) * pageSize}`));
    const cursor = await cursorAt(client, busyTenant);
    note(`first and ${farPage}th page by cursor`, first, await page(`&cursor=${cursor}`));

    const head = ['what grows', 'small, CPU ms', 'large, CPU ms', 'ratio'];
    tell({ title: 'What a dispatch or a page costs when something grows', head, rows: grown.map(lineOf) });
  } finally {
    await client.end();
    await atelier.stop();
  }
}

function lineOf([what, small, large]: Growth): string[] {
  return [what, small.toFixed(3), large.toFixed(3), (large / small).toFixed(2)];
}

/** The CPU of all processes for each call, including the work that a call starts. */
async function costOf(
  server: BenchServer,
  atelier: AtelierUnderLoad,
  count: number,
  call: (place: number) => Promise<void>,
  pids = atelier.pids,
): Promise<number> {
  const used = async () => {
    await sleep(statisticsDelayMs);
    return spent(pids, { pid: server.pid, databaseUrl: atelier.databaseUrl });
  };
  const before = await used();
  let next = 0;
  const work = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: connections }, work));
  await atelier.catchUpSeconds();
  const { cpuMs } = spentEach(before, await used(), count);
  return Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
}

async function list({ url }: AtelierUnderLoad, key: string, query: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  await answered(await fetch(`${url}/v1/jobs?limit=${pageSize}${query}`, { headers }), 200);
}

async function answered(response: Response, status: number): Promise<void> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
}

/** The columns of a table or view that a copy takes over, for a statement. */
async function columnsOf(client: pg.Client, table: string, without: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0
      and not attisdropped and attgenerated = '' and attname <> all($2)`,
    [table, without],
  );
  return rows.map(({ name }) => name).join(', ');
}

/** Copies a waiting task within the queue of pg-boss. */
async function addTasks(client: pg.Client): Promise<void> {
  const columns = await columnsOf(client, 'pgboss.job', ['id', 'singleton_key']);
  await client.query(
    `insert into pgboss.job (id, ${columns})
      select gen_random_uuid(), ${columns} from (select ${columns} from pgboss.job where state = 'created' limit 1) waiting,
        generate_series(1, ${waitingTasks})`,
  );
  await client.query('vacuum analyze pgboss.job');
}

/** Charges that were settled long ago, two events each. */
async function addEvents(client: pg.Client, tenant: string, count: number): Promise<void> {
  const text = `with known as (
      select (select position from event_store.head) as head, max(revision) as revision
        from event_store.events where stream = $1),
    model as (
      select distinct on (type) type, data, metadata from event_store.events
        where stream = $1 and type = 'CreditsDebited' order by type, revision)
    insert into event_store.events (position, revision, id, stream, type, data, metadata)
      select head + n, revision + n, gen_random_uuid(), $1, case n % 2 when 1 then 'CreditsDebited' else 'CreditsSettled' end,
          (model.data::jsonb || jsonb_build_object('chargeId', 'old-' || (n + 1) / 2, 'requestId', 'old-' || (n + 1) / 2,
            'jobId', 'old-' || (n + 1) / 2))::json, model.metadata
        from known, model, generate_series(1, $2::integer) n`;
  await client.query('begin');
  await client.query('select from event_store.head for update');
  await client.query(text, [`live.account-${tenant}`, count - (count % 2)]);
  await client.query(`update event_store.head set position = (select max(position) from event_store.events)`);
  await client.query('commit');
  await client.query(`select pg_notify('atelier', '')`);
  await client.query('vacuum analyze event_store.events');
}

/** Adds rows of jobs to the list, as copies of one row. */
async function addJobs(client: pg.Client, tenant: string): Promise<void> {
  const columns = await columnsOf(client, 'live.jobs', ['public_id', 'created_at']);
  await client.query(
    `insert into live.jobs (public_id, created_at, ${columns})
      select '01' || lpad(n::text, 24, '0'), now() - n * interval '1 minute', ${columns}
        from (select * from live.jobs where tenant = $1 limit 1) job, generate_series(1, ${farPage * pageSize * 2}) n`,
    [tenant],
  );
  await client.query('vacuum analyze live.jobs_g1');
}

async function cursorAt(client: pg.Client, tenant: string): Promise<string> {
  const { rows } = await client.query<{ public_id: string }>(
    `select public_id from live.jobs where tenant = $1 order by created_at desc, public_id desc
      offset ${(farPage - 1) * pageSize} limit 1`,
    [tenant],
  );
  return rows[0]!.public_id;
}

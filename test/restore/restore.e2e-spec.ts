import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { processManagers } from '#application/process-managers/process-managers.js';
import { prepareEventStore } from '#event-store/open-event-store.js';
import type { Answer, ApiClient } from '../api/support/api-client.js';
import { Peer } from '../eventstoredb/peer/peer.js';
import { PeerLog } from '../eventstoredb/peer/peer-log.js';
import { run } from '../standalone/support/atelier.js';
import { eventually } from '../support/eventually.js';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { House, type Customer } from './house.js';
import { settingsOn, verbsOn } from '../cli/support/verbs.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** A store of events that can be backed up in one piece. */
interface Log {
  readonly url: string;
  backUp(): Promise<Log>;
}

const databases: TestDatabase[] = [];
const peers: Peer[] = [];

async function kept(database: Promise<TestDatabase>): Promise<TestDatabase> {
  const made = await database;
  databases.push(made);
  return made;
}

/** A database for read models, queue and snapshots, all of them empty. */
const template = {
  name: 'restore',
  prepare: (url: string) => House.migrate({ eventStoreUrl: url, databaseUrl: url }),
};

async function postgresLog(from?: TestDatabase): Promise<Log> {
  const database = await kept(from ? copyTestDatabase(from) : createTestDatabase());
  // A clone of one template would have its name.
  if (!from) await prepareEventStore({ eventStoreUrl: database.url, databaseUrl: database.url });
  return { url: database.url, backUp: () => postgresLog(database) };
}

async function eventStoreDbLog(log = new PeerLog()): Promise<Log> {
  const peer = await new Peer(log).start();
  peers.push(peer);
  return { url: peer.url, backUp: () => eventStoreDbLog(log.copy()) };
}

/** Restores the keys of personal words from their own backup. */
async function copyKeys(from: TestDatabase, to: TestDatabase): Promise<void> {
  const [source, target] = [from, to].map(({ url }) => new pg.Client({ connectionString: url }));
  await Promise.all([source!.connect(), target!.connect()]);
  const columns = 'id, environment, tenant, wrapped, master, made_at, destroyed_at';
  for (const table of ['data_keys.keys', 'data_keys.sheets']) {
    await target!.query(`truncate ${table}`);
    const { rows } = await source!.query(`select ${columns} from ${table}`);
    for (const row of rows)
      await target!.query(
        `insert into ${table} (${columns}) values ($1, $2, $3, $4, $5, $6, $7)`,
        Object.values(row),
      );
  }
  await Promise.all([source!.end(), target!.end()]);
}

/** The price of one job of this workflow. */
const price = 5;
const credits = 1_000;
const dispatch = (api: ApiClient, { key }: Customer, idempotencyKey?: string) =>
  api.post(
    '/v1/model-generator',
    key,
    { seed: 7 },
    idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  );

describe.each([
  ['PostgreSQL', () => postgresLog()],
  ['EventStoreDB', () => eventStoreDbLog()],
])('an installation with its events in %s, restored from backups', (_name, newLog) => {
  let folder: string;
  const houses: House[] = [];
  let customer: Customer;
  /** The answer to the one dispatch with an Idempotency-Key, which is missing from the older database. */
  let keyed: Answer;
  /** Four jobs had ended. */
  let older: { log: Log; database: TestDatabase };
  /** Three more had ended, and two waited. */
  let newer: { log: Log; database: TestDatabase };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-restore-'));
    const [log, database] = [await newLog(), await kept(createTestDatabase({ template }))];
    const first = await open(log, database);
    customer = await first.customer(credits);
    const api = await running(first);
    for (let each = 0; each < 4; each++) expect((await dispatch(api, customer)).status).toBe(202);
    await first.figures(api, customer, 4);
    await closeAll();
    older = { log: await log.backUp(), database: await kept(copyTestDatabase(database)) };

    const second = await open(log, database);
    const again = await running(second);
    keyed = await dispatch(again, customer, 'kept');
    expect(keyed.status).toBe(202);
    for (let each = 0; each < 2; each++) expect((await dispatch(again, customer)).status).toBe(202);
    await second.figures(again, customer, 7);
    await closeAll();
    const third = await open(log, database);
    await third.startProjector();
    const last = await third.openApi();
    for (let each = 0; each < 2; each++) expect((await dispatch(last, customer)).status).toBe(202);
    await third.caughtUp();
    await closeAll();
    newer = { log: await log.backUp(), database: await kept(copyTestDatabase(database)) };
  });
  afterEach(closeAll);
  afterAll(async () => {
    for (const peer of peers.splice(0)) peer.stop();
    for (const database of databases.splice(0)) await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function closeAll(): Promise<void> {
    for (const house of houses.splice(0)) await house[Symbol.asyncDispose]();
  }

  async function open(log: Log, database: TestDatabase): Promise<House> {
    const house = await House.open({ eventStoreUrl: log.url, databaseUrl: database.url }, folder);
    houses.push(house);
    return house;
  }

  /** Each test restores the backups anew. */
  async function restored(
    log: Log,
    database: TestDatabase | 'empty',
  ): Promise<{ log: Log; database: TestDatabase; house: House }> {
    const own = {
      log: await log.backUp(),
      database: await kept(
        database === 'empty' ? createTestDatabase({ template }) : copyTestDatabase(database),
      ),
    };
    // Events name keys that an older database lacks, so the keys come from a backup that is newer than the log's.
    await copyKeys(newer.database, own.database);
    return { ...own, house: await open(own.log, own.database) };
  }

  async function running(house: House): Promise<ApiClient> {
    await house.startProjector();
    await house.startWorker();
    return house.openApi();
  }

  /** The figures after this many ended jobs, and nothing else. */
  const expected = (jobs: number, more = 0) => {
    const balance = credits + more - price * jobs;
    return { jobs, ended: jobs, balance, ledger: balance, auditHolds: true };
  };

  function atelier(
    { log, database }: { log: Log; database: TestDatabase },
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
  ) {
    const place = { EVENT_STORE_URL: log.url, PUBLIC_URL: 'http://127.0.0.1:9' };
    return verbsOn({ databaseUrl: database.url, folder }, place).run(args, more);
  }

  /** One check of the doctor's report. */
  async function examined(of: Parameters<typeof atelier>[0], name: string, more: NodeJS.ProcessEnv = {}) {
    const { stdout } = await atelier(of, ['doctor', '--json'], more);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.find((check) => check.name === name);
  }

  it.each([
    ['lost', 'empty'],
    ['older than the log', 'older'],
  ] as const)('finds the job of an Idempotency-Key when the database is %s', async (_what, which) => {
    const { house } = await restored(newer.log, which === 'empty' ? which : older.database);
    const api = await house.openApi();
    // The read models lack the job, and the log may know the key.
    expect((await dispatch(api, customer, 'kept')).status).toBe(503);
    await house.startProjector();
    await house.startWorker();
    await eventually(async () => {
      const repeated = await dispatch(api, customer, 'kept');
      expect(repeated).toMatchObject({ status: 202, body: keyed.body });
      expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    });
    const other = await api.post(
      '/v1/model-generator',
      customer.key,
      { seed: 8 },
      { 'idempotency-key': 'kept' },
    );
    expect(other).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
    expect((await dispatch(api, customer, 'kept')).body).toEqual(keyed.body);
    expect(await house.figures(api, customer, 9)).toEqual(expected(9));
  });

  it.each([
    ['goes on where the log ends when the database is older than the log', 'older'],
    ['goes on where it was when both are of one time', 'newer'],
    ['makes the database again from the log when it is lost', 'empty'],
  ] as const)('%s', async (_what, which) => {
    const databases = { older: older.database, newer: newer.database, empty: 'empty' } as const;
    const { house } = await restored(newer.log, databases[which]);
    expect(await house.figures(await running(house), customer, 9)).toEqual(expected(9));
  });

  it('makes the queue and the snapshots again when they are lost', async () => {
    const { house, log, database } = await restored(newer.log, newer.database);
    await house.database('drop schema pgboss cascade');
    await house.database('truncate event_store.snapshots').catch(() => undefined);
    if (log.url.startsWith('postgres')) await truncateSnapshots(log.url);
    expect(await house.figures(await running(house), customer, 9)).toEqual(expected(9));
    expect((await atelier({ log, database }, ['jobs', 'stranded', '--json'])).stdout).toBe(
      '{\n  "jobs": []\n}\n',
    );
  });

  it('refuses dispatches, and says why, when the log is older than the database, however far it grows', async () => {
    const { log, database } = await restored(older.log, newer.database);
    const grown = 60;
    for (const isGrown of [false, true]) {
      const turn = await open(log, database);
      if (isGrown) await turn.grow(customer.tenant, grown);
      await turn.startProjector();
      const api = await turn.openApi();
      const refused = await dispatch(api, customer);
      expect(refused.status).toBe(503);
      expect(refused.body.error).toMatchObject({ code: 'LOG_MISMATCH' });
      expect(refused.body.error.message).toContain('Nothing was charged');
      const ready = await api.get('/health/ready');
      expect(ready.status).toBe(503);
      expect(ready.body.error.message).toContain('made from event');
      expect(ready.body.error.message).toContain('atelier checkpoints reset');
      const jobs = await api.get('/v1/jobs', customer.key);
      expect([jobs.status, jobs.headers.get('x-consistency')]).toEqual([200, 'stale']);
      await eventually(async () => {
        const { rows } = await turn.database(
          `select from live.process_checkpoints where halted_because is not null`,
        );
        return rows.length === processManagers.length;
      });
      await closeAll();
    }
    expect(await examined({ log, database }, 'log')).toMatchObject({ ok: false });

    expect(await atelier({ log, database }, ['checkpoints', 'reset'])).toMatchObject({ code: 0, stderr: '' });
    const put = await open(log, database);
    const api = await running(put);
    expect(await put.figures(api, customer, 4)).toEqual(expected(4, grown));
    expect((await dispatch(api, customer)).status).toBe(202);
    expect(await put.figures(api, customer, 5)).toEqual(expected(5, grown));
  });

  it('closes a charge whose settlement alone is missing from the log, which no checkpoint shows', async () => {
    const { log, database, house } = await restored(newer.log, newer.database);
    await house.startWorker();
    const { store } = house.events;
    const succeeded = () => store.readAll({ filter: { types: ['JobSucceeded'] } });
    await eventually(async () => (await succeeded()).length === 9);
    await closeAll();
    // The two jobs have ended, but no consumer has seen it yet.
    const before = { log: await log.backUp(), database: await kept(copyTestDatabase(database)) };
    const closed = await open(log, database);
    await closed.figures(await running(closed), customer, 9);
    await closeAll();
    const checkpoint = `from live.process_checkpoints where process = 'charge-closer'`;
    const { rows } = await closed.database(`select to_json(kept) as kept from (select * ${checkpoint}) kept`);
    // The closer's checkpoint is committed, but the log and the read models are restored from a moment before.
    const hurt = await open(before.log, before.database);
    await hurt.database(`delete ${checkpoint}`);
    await hurt.database(
      `insert into live.process_checkpoints select * from json_populate_record(null::live.process_checkpoints, $1)`,
      [rows[0].kept],
    );
    await hurt.startProjector();
    await hurt.caughtUp();
    expect(await hurt.openCharges()).toBe(2);
    expect((await (await hurt.openApi()).get('/health/ready')).status).toBe(200);
    const report = await hurt.audited(0);
    expect(report.findings.map(({ check, expected }) => [check, expected])).toEqual([
      ['outcomes', 'settled'],
      ['outcomes', 'settled'],
    ]);
    await eventually(async () => {
      const charges = await examined(before, 'open charges', { ATELIER_ORPHAN_HORIZON_MS: '1000' });
      return charges?.detail === '2 have no job, or one that has ended' && !charges.ok;
    });
    await closeAll();
    const healed = await open(before.log, before.database);
    await healed.startProjector(1);
    expect(await healed.figures(await healed.openApi(), customer, 9)).toEqual(expected(9));
  });

  it('does not give the answer that was kept for a job which the log has lost, and dispatches anew', async () => {
    const { house } = await restored(older.log, older.database);
    // No consumer has seen the job; only its caller got the answer.
    const { rows } = await (
      await open(newer.log, newer.database)
    ).database('select to_json(kept) as kept from live.idempotency_keys kept');
    await house.database(
      'insert into live.idempotency_keys select * from json_populate_record(null::live.idempotency_keys, $1)',
      [rows[0].kept],
    );
    const api = await running(house);
    await Promise.all([1, 2].map(() => dispatch(api, customer, 'kept')));
    // A busy machine may refuse callers for a moment.
    const answer = await eventually(async () => {
      const told = await dispatch(api, customer, 'kept');
      return told.status === 202 && told.headers.get('idempotent-replayed') === 'true' && told;
    });
    expect(answer.body.job_id).not.toBe(rows[0].kept.job_id);
    expect(await house.figures(api, customer, 5)).toEqual(expected(5));
  });

  it('refuses another log than its own, in one line that names both and the way to move', async () => {
    const { log, database } = await restored(newer.log, newer.database);
    const other = await newLog();
    const message = new RegExp(
      `belongs to the log [0-9a-f-]{36} at .+, and EVENT_STORE_URL names the log [0-9a-f-]{36} at ${place(other.url)}: .*atelier events copy --checkpoints translate`,
    );
    for (const role of ['api', 'worker', 'projector']) {
      const env = {
        ...settingsOn(database.url),
        EVENT_STORE_URL: other.url,
        LOG_LEVEL: 'error',
      };
      const { code, stdout } = await run(`apps/${role}/src/main.js`, [], folder, { env });
      expect([role, code]).toEqual([role, 1]);
      const lines = stdout.split('\n').filter((line) => message.test(line));
      expect(lines).toHaveLength(1);
    }
    const verb = await atelier({ log: other, database }, ['tenants', 'show', customer.tenant]);
    expect(verb.code).toBe(1);
    expect(verb.stderr).toMatch(message);
    expect(verb.stderr.trim()).not.toContain('\n');
    await closeAll();
    const right = await open(log, database);
    expect(await right.figures(await running(right), customer, 9)).toEqual(expected(9));
  });
});

const place = (url: string) => url.replace(/\/\/.*@/, '//').split('?')[0]!;

async function truncateSnapshots(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('truncate event_store.snapshots');
  await client.end();
}

import { describe, expect, it, vi } from 'vitest';
import type { CheckName } from '#capabilities/operate/audit/findings.js';
import { AuditedStore } from './support/audited-store.js';
import { at, busyStory, idOf, Story } from './support/story.js';
import { untilEnd } from '../support/until-end.js';

const audited = untilEnd(await AuditedStore.open());
await audited.write(busyStory('live'));
await audited.write(busyStory('test', ['acme', 'chic']));
audited.startProjecting();
await audited.projected();
await audited.fixture.stopRunners();

interface Tampering {
  readonly table: string;
  readonly what: string;
  readonly sql: string;
  /** Repairs the row; `sql` has kept it in the table `kept`. */
  readonly finding: Record<string, unknown>;
}

const changed = (
  table: string,
  where: string,
  column: string,
  value: string,
  finding: Record<string, unknown>,
): Tampering => ({
  table,
  what: `a changed ${column}`,
  sql: `update live.${table}_g1 set ${column} = ${value} where ${where}`,
  finding: { column, ...finding },
});

const job1 = { stream: 'live.job-job1-live', revision: 3 };
const acmeLedger = { key: 'r-job1-live', stream: 'live.account-acme', revision: 3 };

const tamperings: Tampering[] = [
  changed('jobs', `public_id = 'job1-live'`, 'status', `'FAILURE'`, {
    key: 'job1-live',
    ...job1,
    expected: 'SUCCESS',
    found: 'FAILURE',
  }),
  changed('jobs', `public_id = 'job1-live'`, 'started_at', `started_at + interval '1 microsecond'`, {
    key: 'job1-live',
    ...job1,
    expected: at(9),
    found: `${at(9)} and 0.001 ms`,
  }),
  changed('jobs', `public_id = 'job1-live'`, 'latest_event', `jsonb_set(latest_event, '{seq}', '9')`, {
    key: 'job1-live',
    ...job1,
    found: expect.objectContaining({ seq: 9 }),
  }),
  changed('jobs', `public_id = 'job1-live'`, 'tenant', `'bold'`, {
    key: 'job1-live',
    ...job1,
    expected: 'acme',
    found: 'bold',
  }),
  changed('timeline', `job_id = 'job1-live' and seq = 2`, 'message', `'x'`, {
    key: 'job1-live/2',
    stream: job1.stream,
    revision: 1,
    expected: 'Attempt 1 started.',
    found: 'x',
  }),
  changed('timeline', `job_id = 'job1-live' and seq = 4`, 'artifacts', `artifacts #- '{0,meta,zoom}'`, {
    key: 'job1-live/4',
    ...job1,
  }),
  changed('usage', `request_id = 'r-batch-live'`, 'credits_refunded', '6', {
    key: 'r-batch-live',
    stream: 'live.account-bold',
    expected: 5,
    found: 6,
  }),
  changed('usage', `request_id = 'r-refused-live'`, 'error_code', 'null', {
    key: 'r-refused-live',
    stream: 'live.usage-bold',
    revision: 0,
    expected: 'INSUFFICIENT_BALANCE',
    found: null,
  }),
  changed('usage', `endpoint = '/v1/uploads'`, 'http_status', '202', {
    key: idOf('upload-live'),
    stream: 'live.asset-asset-live',
    revision: 0,
    expected: 201,
    found: 202,
  }),
  changed('ledger', `id = 'r-job1-live'`, 'credits_delta', '-4', { ...acmeLedger, expected: -5, found: -4 }),
  changed('renders', `public_id = 'job1-live'`, 'width', '1023', {
    key: 'job1-live',
    ...job1,
    expected: 1024,
    found: 1023,
  }),
  changed('keys', `key_id = 'key-live'`, 'revoked_at', 'null', {
    key: 'key-live',
    stream: 'live.key-key-live',
    revision: 2,
    found: null,
  }),
  changed('assets', `asset_id = 'asset-live'`, 'sha256', `'ee'`, {
    key: 'asset-live',
    stream: 'live.asset-asset-live',
    revision: 0,
    expected: 'cd'.repeat(32),
    found: 'ee',
  }),
  changed('presets', `preset_id = 'preset-live'`, 'kind', `'shot'`, {
    key: 'preset-live',
    stream: 'live.preset-preset-live',
    revision: 1,
    expected: 'model',
    found: 'shot',
  }),
  changed('products', `product_id = 'product-live'`, 'status', `'active'`, {
    key: 'product-live',
    stream: 'live.product-product-live',
    revision: 2,
    expected: 'archived',
    found: 'active',
  }),
  changed('calls', `call = 'placed.1'`, 'price_micros', '1', {
    key: 'job5-live/placed.1',
    stream: 'live.job-job5-live',
    expected: 40_000,
    found: 1,
  }),
  changed(
    'catalog',
    `asset_id = '${idOf('job1-live-who')}'`,
    'attributes',
    `attributes || '{"crop": "half"}'`,
    {
      key: idOf('job1-live-who'),
      ...job1,
      expected: { zoom: 1.5, crop: 'full' },
      found: { zoom: 1.5, crop: 'half' },
    },
  ),
];

const keyColumns: Readonly<Record<string, string>> = {
  jobs: 'public_id',
  timeline: 'job_id',
  usage: 'request_id',
  ledger: 'id',
  renders: 'public_id',
  keys: 'key_id',
  assets: 'asset_id',
  presets: 'preset_id',
  catalog: 'asset_id',
  products: 'product_id',
  calls: 'job_id',
};

/** Changes a table, audits it, and restores the table. */
async function findingsAfter(table: string, sql: string) {
  await audited.sql(`create table kept as select * from live.${table}_g1`);
  try {
    await audited.sql(sql);
    return (await audited.audit()).findings;
  } finally {
    await audited.sql(`delete from live.${table}_g1`);
    await audited.sql(`insert into live.${table}_g1 select * from kept`);
    await audited.sql('drop table kept');
  }
}

describe('the audit of read models', () => {
  it('says yes to those that are the fold of history, and has looked at each row of them', async () => {
    const report = await audited.audit();
    expect(report.findings).toEqual([]);
    expect(report.holds).toBe(true);
    for (const name of Object.keys(keyColumns)) {
      const count = `select (select count(*) from live.${name}) + (select count(*) from test.${name}) as rows`;
      const [{ rows }] = (await audited.fixture.rows(count)) as [{ rows: string }];
      expect([name, report.checks.find((check) => check.name === name)?.checked]).toEqual([
        name,
        Number(rows),
      ]);
      expect(Number(rows)).toBeGreaterThan(0);
    }
    expect(report.checks.filter(({ checked }) => checked === 0).map(({ name }) => name)).toEqual([
      'answered',
      'tasks',
      'writers',
      'seals',
      'seal-chain',
    ]);
    // Without the signing key the audit cannot check the writers of events, and the report does not claim that
    // it has.
    expect(report.checks.find(({ name }) => name === 'writers')?.done).toBe(false);
  });

  it.each(tamperings)('finds $what in $table', async ({ table, sql, finding }) => {
    const findings = await findingsAfter(table, sql);
    const check = table as CheckName;
    const wrong = { ...finding, check, table: `live.${table}`, message: 'a cell differs' };
    expect(findings.filter((each) => each.check === check)).toEqual([expect.objectContaining(wrong)]);
  });

  it.each(Object.entries(keyColumns))('finds rows that are missing from %s', async (table, key) => {
    const missing = `select ${key} from live.${table}_g1 order by created_at limit 1`.replace(
      'created_at',
      key,
    );
    const [row] = await audited.fixture.rows<Record<string, string>>(missing);
    const id = row![key]!;
    const findings = await findingsAfter(table, `delete from live.${table}_g1 where ${key} = '${id}'`);
    const wrong = findings.filter(({ check }) => check === table);
    expect(wrong.length).toBeGreaterThan(0);
    for (const finding of wrong) {
      expect(finding).toMatchObject({ table: `live.${table}`, message: 'a row is missing', found: null });
      expect(finding.key).toMatch(new RegExp(`^${id}(/|$)`));
      expect(finding.stream).toMatch(/^live\./);
      expect(finding.expected).toMatchObject({ [key]: id });
    }
  });

  it.each(Object.entries(keyColumns))('finds rows in %s that nothing explains', async (table, key) => {
    const copy = `create temp table odd on commit drop as select * from live.${table}_g1 limit 1;
      update odd set ${key} = 'nothing'; insert into live.${table}_g1 select * from odd`;
    const findings = await findingsAfter(table, copy);
    expect(findings.filter(({ check }) => check === table)).toEqual([
      expect.objectContaining({
        table: `live.${table}`,
        key: expect.stringMatching(/^nothing/),
        expected: null,
        message: 'a row that nothing in history explains',
        found: expect.objectContaining({ [key]: 'nothing' }),
      }),
    ]);
  });

  it('finds a ledger whose rows do not sum to the balance', async () => {
    const findings = await findingsAfter('ledger', `delete from live.ledger_g1 where id = 'r-job1-live'`);
    expect(findings.filter(({ check }) => check === 'ledger-sums')).toMatchObject([
      { stream: 'live.account-acme', table: 'live.ledger', expected: 90, found: 95 },
    ]);
  });

  it('finds a balance that the service would show and history does not give', async () => {
    const readBalance = () => Promise.resolve({ balance: 90, position: 1_000n });
    const { findings } = await audited.audit({ tenant: 'bold', readBalance });
    expect(findings).toMatchObject([
      { check: 'balance-shown', stream: 'live.account-bold', expected: 30, found: 90 },
    ]);
  });

  it('finds an answer that was given and whose job is not there', async () => {
    const insert = `insert into live.idempotency_keys
        (tenant, endpoint, key, body_hash, request_id, job_id, status, locked_until, response_body)
      values ('acme', '/v1/look', $1, '', $4, $3, 'answered', now(), $2)`;
    const answer = (jobId: string, requestId: string) => [
      { kind: 'accepted', ids: { jobId, requestId }, creditsCost: 5 },
      jobId,
      requestId,
    ];
    await audited.sql(insert, ['good', ...answer('job1-live', 'r-job1-live')]);
    await audited.sql(insert, ['bad', ...answer('lost', 'r')]);
    const { findings } = await audited.audit();
    await audited.sql('delete from live.idempotency_keys');
    expect(findings).toMatchObject([
      { check: 'answered', stream: 'live.job-lost', expected: 'JobQueued', found: 'no such job' },
    ]);
  });

  it('finds a view over another generation than the one that serves, and the rows that readers do not see', async () => {
    await audited.sql('create table live.presets_g9 (like live.presets_g1 including all)');
    await audited.sql('create or replace view live.presets as select * from live.presets_g9');
    const { findings } = await audited.audit();
    await audited.sql('create or replace view live.presets as select * from live.presets_g1');
    expect(findings.filter(({ check }) => check === 'database')).toMatchObject([
      {
        message: 'view live.presets is not the one that this release makes',
        expected: expect.stringMatching(/FROM live.presets_g1$/),
        found: expect.stringMatching(/FROM live.presets_g9;$/),
      },
    ]);
    // Readers still see the rows of that generation.
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'presets', message: 'a row is missing' }),
    );
  });

  it('takes a column that it does not know for one of another release, and says so', async () => {
    const [own] = (
      await audited.fixture.sql.query(`select pg_get_viewdef('live.keys'::regclass) as definition`)
    ).rows as { definition: string }[];
    await audited.sql('alter table live.keys_g1 add column colour text');
    await audited.sql(
      `create or replace view live.keys as ${own!.definition.replace(/\s+from /i, ', colour from ')}`,
    );
    const { holds, notes, findings } = await audited.audit();
    await audited.sql(`drop view live.keys; create view live.keys as ${own!.definition}`);
    await audited.sql('alter table live.keys_g1 drop column colour');
    expect({ holds, findings }).toEqual({ holds: true, findings: [] });
    expect(notes).toEqual([expect.stringMatching(/^live\.keys has a column .* colour$/)]);
  });

  it('says of rows that another release has folded that they are to be folded again', async () => {
    const { rows } = await audited.fixture.sql.query(
      `select folded_to from read_store.projections where environment = 'live' and name = 'jobs'`,
    );
    const set = `update read_store.projections set folded_to = $1 where environment = 'live' and name = 'jobs'`;
    await audited.sql(set, ['{}']);
    const { findings } = await audited.audit({ patienceMs: 300 });
    await audited.sql(set, [JSON.stringify((rows as { folded_to: unknown }[])[0]?.folded_to)]);
    expect(findings).toMatchObject([
      {
        check: 'read-models-live',
        table: 'live.jobs',
        found: 'folded up to position none',
        message: expect.stringContaining('another release has folded'),
      },
    ]);
  });

  it('waits for a read model that is on its way', async () => {
    await audited.write(new Story('live').store('acme', 'late-asset'));
    // Makes the clock look like that of a process that has run for days.
    const sinceStart = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => sinceStart() + 1e9);
    const auditing = audited.audit({ patienceMs: 180_000 }).finally(() => clock.mockRestore());
    await new Promise((resume) => setTimeout(resume, 1_500));
    audited.startProjecting();
    const { findings } = await auditing;
    await audited.projected();
    await audited.fixture.stopRunners();
    expect(findings).toEqual([]);
  });

  it('finds a read model that stands still, one with parked streams, and one that does not come along', async () => {
    await audited.sql(`update read_store.projections set state = 'halted', halted_because = 'skipped'
      where environment = 'live' and name = 'assets'`);
    await audited.sql(`insert into read_store.parked_events
      (environment, name, generation, stream, revision, position, event_id, event_type, error)
      values ('live', 'jobs', 1, 'live.job-job1-live', 2, 9, gen_random_uuid(), 'StageCompleted', 'cannot')`);
    await audited.sql(`update live.jobs_g1 set revision = 1 where public_id = 'job1-live'`);
    await audited.sql(`delete from live.keys_g1`);
    await audited.sql(
      `update read_store.projections set position = 2, folded_to = regexp_replace(folded_to::text, '"\\d+"}', '"2"}')::jsonb
        where environment = 'live' and name = 'keys'`,
    );
    const { findings } = await audited.audit({ patienceMs: 300 });
    await audited.sql(`update live.jobs_g1 set revision = 3 where public_id = 'job1-live'`);
    await audited.sql('delete from read_store.parked_events');
    await audited.sql(`update read_store.projections set state = 'live' where name = 'assets'`);
    expect(findings.filter(({ check }) => check === 'read-models-live')).toMatchObject([
      {
        table: 'live.assets',
        expected: 'live',
        found: 'halted',
        message: expect.stringContaining('skipped'),
      },
      {
        table: 'live.jobs',
        stream: 'live.job-job1-live',
        revision: 2,
        message: expect.stringContaining('cannot'),
      },
      {
        table: 'live.keys',
        found: 'position 2',
        message: expect.stringContaining('3 events have not reached it'),
      },
    ]);
    // A read model that is behind must be right up to its checkpoint. A finding in a parked stream says that
    // the stream is parked.
    expect(findings.filter(({ check }) => check === 'keys')).toEqual([]);
    expect(findings.filter(({ check }) => check === 'jobs')).toMatchObject([
      { column: 'revision', expected: 3, found: 1, message: 'a cell differs: its stream is parked' },
    ]);
  });

  it('of one tenant compares the rows of that tenant', async () => {
    const report = await audited.audit({ tenant: 'bold', environments: ['live'] });
    const count = (name: string) => report.checks.find((check) => check.name === name);
    expect(count('ledger')).toMatchObject({ checked: 5, wrong: 0, done: true });
    expect(count('presets')).toMatchObject({ checked: 0, done: false });
  });
});

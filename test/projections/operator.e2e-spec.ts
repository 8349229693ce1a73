import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { environments } from '#domain/streams.js';
import { jobsReadModel } from '#projections/jobs/jobs.read-model.js';
import { readModels } from '#projections/read-models.js';
import { RebuildSession } from '#capabilities/operate/rebuild/rebuild-session.js';
import type { Json } from '../api/support/api-client.js';
import { closeCharge, finishJob, startJob } from '../api/support/finish-job.js';
import { seedHistory } from '../bench/history.js';
import { settingsOn, verbsOn } from '../cli/support/verbs.js';
import { openWorld } from '../api/support/world.js';

const { service, api, tenant } = await openWorld();
const sql = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
afterAll(() => sql.end());
const jobs: string[] = [];

beforeAll(async () => {
  for (let seed = 0; seed < 3; seed++) {
    const { body } = await api.post('/v1/model-generator', tenant.key, { gender: 'FEMALE', seed });
    jobs.push(body.job_id as string);
  }
  await startJob(service, tenant, jobs[0]!);
  await finishJob(service, tenant, jobs[0]!);
  const charges = await sql.query<{ id: string }>('select id from live.ledger where job_id = $1', [jobs[0]]);
  await closeCharge(service, tenant, charges.rows[0]!.id, 'settle');
});

async function atelier(...args: string[]): Promise<{ code: number | null; stderr: string; out: Json }> {
  const { code, stdout, stderr } = await verbsOn(service).run([...args, '--json']);
  return { code, stderr, out: stdout === '' ? undefined : JSON.parse(stdout) };
}

/** The caller's view, without URLs, which are signed anew each time. */
async function shown(): Promise<Json[]> {
  const paths = [
    '/v1/jobs',
    '/v1/usage',
    '/v1/transactions',
    '/v1/credits',
    '/v1/presets?kind=shot',
    '/v1/renders',
    '/v1/catalog/models',
  ];
  const all = [...paths, ...jobs.flatMap((job) => [`/v1/jobs/${job}`, `/v1/jobs/${job}/events`])];
  const answers = await Promise.all(all.map((path) => api.get(path, tenant.key)));
  const { out } = await atelier('keys', 'list', '--tenant', tenant.id);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const text = JSON.stringify([...answers.map(({ status, body }) => ({ status, body })), out]);
  return JSON.parse(text.replaceAll(/\?[^"]*signature=[^"]*/gi, '')) as Json[];
}

const models = (out: Json, env = 'live'): Json[] =>
  (out.environments as Json[]).find((each) => each.env === env).projections as Json[];

describe('atelier projections', () => {
  it('list: every generation with its state, its position, how far behind it is, rows and parked streams', async () => {
    const { code, out } = await atelier('projections', 'list');
    expect(code).toBe(0);
    expect(out.projections).toHaveLength(2 * readModels.length);
    expect(out.projections).toContainEqual({
      env: 'live',
      name: 'jobs',
      generation: 1,
      version: jobsReadModel.version,
      state: 'live',
      because: null,
      rows: 3,
      parked_streams: 0,
      table_exists: true,
      behind_events: 0,
      behind_seconds: 0,
      position: expect.stringMatching(/^\d+$/),
    });
  });

  it('compare: finds one altered row with its key, column and both values, and says so with its exit code', async () => {
    expect((await atelier('projections', 'compare', '--all')).code).toBe(0);
    const before = await sql.query('select * from read_store.projections order by 1, 2, 3');
    await sql.query(`update live.ledger set credits_delta = -4 where job_id = $1`, [jobs[1]]);
    const { code, stderr, out } = await atelier('projections', 'compare', 'ledger', 'usage');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'atelier: the live rows are not what the history says: live.ledger\n',
    });
    const [usage, ledger] = models(out);
    expect(usage.differences).toEqual({ missing: 0, extra: 0, changed: 0, first: [] });
    const { id } = (
      await sql.query<{ id: string }>('select id from live.ledger where job_id = $1', [jobs[1]])
    ).rows[0]!;
    expect(ledger.differences).toEqual({
      missing: 0,
      extra: 0,
      changed: 1,
      first: [
        { key: { id }, kind: 'changed', columns: [{ column: 'credits_delta', live: -4, rebuilt: -5 }] },
      ],
    });
    // Nothing is left of the comparison.
    const after = await sql.query('select * from read_store.projections order by 1, 2, 3');
    expect(after.rows).toEqual(before.rows);
  });

  it('rebuild: leaves rows alone that differ until the operator accepts it, and then puts them right', async () => {
    const refused = await atelier('projections', 'rebuild', 'ledger', '--env', 'live');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'not switched, because the new rows differ from the live ones: live.ledger',
    );
    const listed = (await atelier('projections', 'list', '--env', 'live')).out.projections as Json[];
    expect(listed.filter(({ name }) => name === 'ledger')).toMatchObject([
      { generation: 1, state: 'live' },
      { generation: 2, state: 'building', because: 'its rows differ from the live ones' },
    ]);
    const { code, out } = await atelier(
      'projections',
      'switch',
      'ledger',
      '--env',
      'live',
      '--accept-differences',
    );
    expect({ code, switched: models(out)[0].switched }).toEqual({ code: 0, switched: true });
    expect((await atelier('projections', 'compare', 'ledger')).code).toBe(0);
  });

  it('refuses a second rebuild of the same read model, and says who is at it', async () => {
    await using _other = await RebuildSession.open({
      url: service.databaseUrl,
      eventStore: service.store,
      environment: 'test',
      readModels,
      signal: AbortSignal.timeout(180_000),
    });
    const { code, stderr } = await atelier('projections', 'rebuild', 'usage', '--env', 'test');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `^atelier: test.usage is being rebuilt already, by "atelier rebuild, pid ${process.pid} on .+" since 2`,
      ),
    );
    // The other environment is not affected.
    expect((await atelier('projections', 'rebuild', 'usage', '--env', 'live')).code).toBe(0);
  });

  it('refuses to go back where there is nothing to go back to', async () => {
    const { code, stderr } = await atelier('projections', 'rollback', 'jobs', '--env', 'test');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'atelier: test.jobs has no generation to go back to: a rebuild keeps the generation that it replaces\n',
    });
  });

  it('rebuild --all restores everything after all read tables were dropped, keys included', async () => {
    const before = await shown();
    for (const env of environments)
      for (const { name } of readModels) await sql.query(`drop view ${env}.${name}`);
    const { rows } = await sql.query<{ table: string }>(
      `select format('%I.%I', schemaname, tablename) as table from pg_tables
        where schemaname in ('live', 'test') and tablename ~ '_g[0-9]+$'`,
    );
    for (const { table } of rows) await sql.query(`drop table ${table}`);
    await sql.query('delete from read_store.projections');
    const { code, stderr, out } = await atelier('projections', 'rebuild', '--all');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(models(out)).toHaveLength(readModels.length);
    expect(await shown()).toEqual(before);
    // The projector has taken up the new tables, so a caller sees its writes.
    const { body } = await api.post('/v1/model-generator', tenant.key, { gender: 'FEMALE', seed: 9 });
    const listed = await api.get('/v1/usage?limit=1', tenant.key);
    expect(listed.body.items[0].request_id).toBe(body.request_id);
    expect(listed.headers.get('x-consistency')).toBeNull();
  });

  it('a rebuild that is killed half-way goes on where it was, and ends with the very same rows', async () => {
    await seedHistory(service.store, 2_700);
    const head = (await service.store.head())!;
    await killHalfWay();
    const { code, out } = await atelier('projections', 'rebuild', '--all', '--env', 'live');
    expect(code).toBe(0);
    const [first] = models(out);
    expect(BigInt(first.resumed_after as string)).toBeGreaterThan(0n);
    expect(out.environments[0].events).toBeLessThan(Number(head));
    for (const { switched, differences } of models(out))
      expect({ switched, ...differences }).toMatchObject({
        switched: true,
        missing: 0,
        extra: 0,
        changed: 0,
      });
  });

  /**
   * Kills the command as soon as it has committed something; starts again if it had ended before that was seen.
   */
  async function killHalfWay(): Promise<void> {
    const main = join(process.cwd(), 'dist', 'capabilities', 'operate', 'main.js');
    for (let signal: unknown; signal !== 'SIGKILL';) {
      const child = spawn(process.execPath, [main, 'projections', 'rebuild', '--all', '--env', 'live'], {
        env: { ...process.env, ...settingsOn(service.databaseUrl) },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const building = `select from read_store.projections where state = 'building' and position is not null`;
      while (child.exitCode === null && !(await sql.query(building)).rowCount) await sleep(5);
      child.kill('SIGKILL');
      [, signal] = await ended;
    }
  }
});

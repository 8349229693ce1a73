import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { AuditedStore } from './support/audited-store.js';
import { at, busyStory, idOf } from './support/story.js';

const [acme, bold] = [idOf('acme'), idOf('bold')];

let audited: AuditedStore;

beforeAll(async () => {
  audited = await AuditedStore.open();
  await audited.write(busyStory('live', [acme, bold]));
  await audited.write(busyStory('test', [acme, idOf('chic')]));
  audited.startProjecting();
  await audited.projected();
});

afterAll(() => audited[Symbol.asyncDispose]());

function ledger(...args: string[]) {
  const env = {
    DATABASE_URL: audited.fixture.url,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
  };
  return runCommand(['ledger', ...args], process.cwd(), { env });
}

type Json = Record<string, unknown>;

async function json(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await ledger(...args, '--json');
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout) as Json;
}

async function complaint(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await ledger(...args);
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
  return stderr.trim();
}

/** Rows of a CSV as RFC 4180 has it. */
function parseCsv(text: string): Record<string, string>[] {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^,\n]*)(,|\n)/g)].map(([, cell, end]) => ({
    value: cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!,
    ends: end === '\n',
  }));
  const rows: string[][] = [[]];
  for (const { value, ends } of cells) {
    rows.at(-1)!.push(value);
    if (ends) rows.push([]);
  }
  const [head = [], ...lines] = rows.slice(0, -1);
  return lines.map((line) => Object.fromEntries(head.map((name, index) => [name, line[index] ?? ''])));
}

describe('atelier ledger audit', () => {
  it('says that all hold, and exits with 0', async () => {
    const { code, stdout, stderr } = await ledger('audit');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/invariant +check +what must hold +checked +wrong/);
    expect(stdout).toMatch(/All hold\.\n$/);
    const report = await json('audit');
    expect(report).toMatchObject({ holds: true, env: null, tenant_id: null, at: null, findings: [] });
    expect(report).toMatchObject({ read_models_compared: true, foreign_events: 0 });
    expect(Object.keys(report)).toEqual([
      'holds',
      'env',
      'tenant_id',
      'at',
      'head',
      'events',
      'streams',
      'foreign_events',
      'seconds',
      'events_per_second',
      'cpu_seconds',
      'rss_mb',
      'read_models_compared',
      'checks',
      'findings',
      'notes',
      'seals',
      'kept_head',
    ]);
  });

  it('of a moment that was looks at history up to then, and says that read models were not compared', async () => {
    const all = await json('audit');
    const half = BigInt(all['head'] as string) / 2n;
    const byPosition = await json('audit', '--at', String(half));
    expect(byPosition).toMatchObject({ head: String(half), holds: true, read_models_compared: false });
    const byTime = await json('audit', '--env', 'live', '--at', at(5));
    expect(byTime).toMatchObject({ events: 6, holds: true });
    const checks = byTime['checks'] as Json[];
    expect(checks.find(({ check }) => check === 'jobs')).toMatchObject({ done: false, checked: 0 });
    const { stdout } = await ledger('audit', '--at', at(5));
    expect(stdout).toContain('Read models have no past, and were not compared.');
  });

  it('as of a moment tells a charge that was open then, and is closed now', async () => {
    // One second lies between each of three events: the charge of job3, the fence of its job, and the refund.
    const charged = busyStory('live', [acme, bold]).appends.findIndex(
      ({ event }) => (event.data as { jobId?: string }).jobId === 'job3-live',
    );
    const { code, stdout } = await ledger(
      'audit',
      '--env',
      'live',
      '--at',
      at(charged),
      '--horizon',
      '0',
      '--tenant',
      bold,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('All hold.');
    const later = await ledger(
      'audit',
      '--env',
      'live',
      '--at',
      `${at(charged).slice(0, -5)}.900Z`,
      '--horizon',
      '0',
    );
    expect(later.code).toBe(1);
    expect(later.stdout).toContain(
      `live.account-${bold} revision 2: charge r-job3-live is open, and there is no job job3-live (must be a job, or refunded, is open since ${at(charged)})`,
    );
    expect(later.stdout).toMatch(/1 thing is wrong\.\n$/);
  });

  it('of one tenant is about that tenant', async () => {
    const report = await json('audit', '--tenant', bold);
    expect(report).toMatchObject({ tenant_id: bold, holds: true });
    const own = report['checks'] as Json[];
    expect(own.find(({ check }) => check === 'balance-shown')).toMatchObject({ checked: 1 });
    expect(await complaint('audit', '--tenant', idOf('nobody'))).toContain('there is no tenant');
  });

  it('says what is wrong, in a table and in JSON, and exits with 1', async () => {
    await audited.sql(`update live.jobs_g1 set display_name = 'x' || public_id`);
    await audited.sql(`delete from live.timeline_g1`);
    const { code, stdout, stderr } = await ledger('audit', '--json');
    const text = (await ledger('audit')).stdout;
    await audited.sql(`update live.jobs_g1 set display_name = 'Asha'`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const { holds, findings, checks } = JSON.parse(stdout) as {
      holds: boolean;
      findings: Json[];
      checks: Json[];
    };
    expect(holds).toBe(false);
    expect(findings).toContainEqual({
      check: 'jobs',
      message: 'a cell differs',
      table: 'live.jobs',
      key: 'job1-live',
      column: 'display_name',
      stream: 'live.job-job1-live',
      revision: 3,
      expected: 'Asha',
      found: 'xjob1-live',
    });
    const { wrong } = checks.find(({ check }) => check === 'timeline') as { wrong: number };
    expect(findings.filter(({ check }) => check === 'timeline')).toHaveLength(wrong);
    expect(text).toContain(
      'live.jobs job1-live display_name, live.job-job1-live revision 3: a cell differs (must be Asha, is xjob1-live)',
    );
    expect(text).toContain(`timeline: ${wrong} wrong`);
    expect(text).toContain(`and ${wrong - 20} more: --json has them all`);
  });

  it('refuses a moment that is none', async () => {
    expect(await complaint('audit', '--at', 'yesterday')).toBe(
      'atelier: --at must be a position or a time such as 2026-01-31T12:00:00Z, not "yesterday"',
    );
  });
});

describe('atelier ledger show', () => {
  it('tells the balance and the movements of any revision and time that was', async () => {
    const now = await json('show', '--tenant', acme, '--env', 'live');
    expect(now).toMatchObject({
      tenant_id: acme,
      at: null,
      accounts: [{ env: 'live', balance: 90, status: 'active' }],
    });
    const then = await json('show', '--tenant', acme, '--env', 'live', '--at', '2');
    expect(then).toMatchObject({
      accounts: [
        {
          balance: 95,
          revision: 2,
          open_charges: [{ charge_id: 'r-job1-live', job_id: 'job1-live', amount: 5 }],
          movements: [
            { kind: 'pack', credits_delta: 100, balance_after: 100 },
            { kind: 'charge', id: 'r-job1-live', operation: 'look', credits_delta: -5, balance_after: 95 },
          ],
        },
      ],
    });
    const early = await json('show', '--tenant', acme, '--at', at(2));
    expect(early).toMatchObject({
      accounts: [
        { env: 'live', balance: 100, revision: 1 },
        { env: 'test', balance: 100, revision: 1 },
      ],
    });
    const { stdout } = await ledger('show', '--tenant', acme, '--env', 'live', '--at', '2');
    expect(stdout).toMatch(/balance +95/);
    expect(await complaint('show', '--tenant', acme, '--at', '2020-01-01T00:00:00Z')).toBe(
      `atelier: tenant ${acme} had no account yet at 2020-01-01T00:00:00Z`,
    );
  });
});

describe('atelier ledger export', () => {
  const figures = (rows: Record<string, string>[]) => {
    const movements = rows.filter(({ kind }) => !kind!.endsWith('_balance'));
    const sum = movements.reduce((total, { credits_delta }) => total + Number(credits_delta), 0);
    return {
      opening: Number(rows[0]!['balance_after']),
      sum,
      closing: Number(rows.at(-1)!['balance_after']),
    };
  };

  it('writes movements between an opening and a closing balance, which sum', async () => {
    const { code, stdout } = await ledger('export', '--csv', '--tenant', acme, '--env', 'live');
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe(
      'environment,tenant_id,time,revision,kind,id,job_id,operation,label,reason,credits_delta,balance_after,request_id',
    );
    const rows = parseCsv(stdout);
    expect(rows.map(({ kind }) => kind)).toEqual([
      'opening_balance',
      'pack',
      'charge',
      'charge',
      'refund',
      'charge',
      'refund',
      'charge',
      'closing_balance',
    ]);
    expect(figures(rows)).toEqual({ opening: 0, sum: 90, closing: 90 });
    expect(rows[4]).toMatchObject({
      kind: 'refund',
      id: 'r-job2-live',
      job_id: 'job2-live',
      operation: 'look',
      reason: 'job-failed',
      label: '/v1/look',
      credits_delta: '5',
      balance_after: '95',
    });
  });

  it('has the columns of every account, periods that fit together, and texts that no spreadsheet runs', async () => {
    const all = parseCsv((await ledger('export', '--csv')).stdout);
    expect(new Set(all.map(({ environment, tenant_id }) => `${environment} ${tenant_id}`)).size).toBe(4);
    expect(all.find(({ kind }) => kind === 'pack')!['label']).toBe(`'=Pack "große", 1`);
    const cut = at(18);
    const [before, after] = await Promise.all(
      [
        ['--to', cut],
        ['--from', cut],
      ].map(async (period) =>
        parseCsv((await ledger('export', '--csv', '--tenant', acme, '--env', 'live', ...period)).stdout),
      ),
    );
    const [first, second] = [figures(before!), figures(after!)];
    expect(first.closing).toBe(second.opening);
    expect(first.opening + first.sum).toBe(first.closing);
    expect(second.opening + second.sum).toBe(second.closing);
    expect(before!.length + after!.length).toBe(9 + 2);
    expect(before!.length).toBeGreaterThan(3);
  });

  it('refuses what makes no sense', async () => {
    expect(await complaint('export')).toBe('atelier: say how: --csv, or --json for one line each');
    expect(await complaint('export', '--csv', '--from', at(2), '--to', at(1))).toBe(
      'atelier: --from must not be later than --to',
    );
  });
});

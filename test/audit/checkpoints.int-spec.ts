import { beforeAll, describe, expect, it } from 'vitest';
import { processManagers } from '#application/process-managers/process-managers.js';
import type { CheckName } from '#capabilities/operate/audit/findings.js';
import { AuditedStore } from './support/audited-store.js';
import { busyStory, Story } from './support/story.js';
import { untilEnd } from '../support/until-end.js';

const audited = untilEnd(await AuditedStore.open());
const names = processManagers.map(({ name }) => name);
const audit = () => audited.audit({ processManagers: names, patienceMs: 300 });

beforeAll(async () => {
  await audited.write(busyStory('live'));
  audited.startProjecting();
  await audited.projected();
  await audited.fixture.stopRunners();
  const jobs = await audited.fixture.store.readAll({
    filter: { streamPrefixes: ['live.job-'] },
    limit: 4096,
  });
  const last = jobs.at(-1)!;
  for (const name of names)
    await audited.sql(
      `insert into live.process_checkpoints (process, position, event_position, event_id) values ($1, $2, $2, $3)`,
      [name, last.position, last.id],
    );
  await audited.sql(
    `insert into live.idempotency_keys
        (tenant, endpoint, key, body_hash, request_id, job_id, status, locked_until, response_body)
      values ('acme', '/v1/look', 'key', '', 'r-job1-live', 'job1-live', 'answered', now(),
        '{"kind":"accepted","ids":{"jobId":"job1-live","requestId":"r-job1-live"},"creditsCost":5}')`,
  );
  for (const table of tables) await audited.sql(`create table ${keptCopy(table)} as table ${table}`);
});

const tables = [
  'read_store.projections',
  'read_store.stream_revisions',
  'live.process_checkpoints',
  'live.idempotency_keys',
];
const keptCopy = (table: string) => `public.kept_${table.split('.')[1]}`;

const jobsModel = `read_store.projections set`;
const ofJobs = `where environment = 'live' and name = 'jobs'`;
const dispatcher = `where process = 'render-dispatcher'`;
const answer = 'live.idempotency_keys set';

const alterations: [what: string, sql: string, check: CheckName][] = [
  ['the event of a read model', `update ${jobsModel} event_id = gen_random_uuid() ${ofJobs}`, 'checkpoints'],
  ['its place', `update ${jobsModel} event_position = event_position - 1 ${ofJobs}`, 'checkpoints'],
  ['the position of a read model', `update ${jobsModel} position = position - 5 ${ofJobs}`, 'checkpoints'],
  [
    'that it has an event',
    `update ${jobsModel} event_id = null, event_position = null ${ofJobs}`,
    'checkpoints',
  ],
  ['the version of a read model', `update ${jobsModel} version = version + 1 ${ofJobs}`, 'checkpoints'],
  [
    'the event of a process manager',
    `update live.process_checkpoints set event_id = gen_random_uuid() ${dispatcher}`,
    'checkpoints',
  ],
  [
    'how far it is, past events of its own',
    `update live.process_checkpoints c set event_position = e.position, event_id = e.id
      from event_store.events e where e.stream = 'live.job-job1-live' and e.revision = 0 and process = 'charge-closer'`,
    'checkpoints',
  ],
  [
    'how far it is, back',
    `update live.process_checkpoints set position = position - 9 where process = 'batch-parents'`,
    'checkpoints',
  ],
  [
    'the revision of a stream',
    `update read_store.stream_revisions set revision = revision + 1 where stream = 'live.job-job1-live'`,
    'stream-revisions',
  ],
  [
    'that a stream was ever seen',
    `delete from read_store.stream_revisions where stream = 'live.job-job1-live'`,
    'stream-revisions',
  ],
  [
    'that another one was',
    `insert into read_store.stream_revisions values ('projections', 'live.job-none', 3)`,
    'stream-revisions',
  ],
  ['the job of a kept answer', `update ${answer} job_id = 'job2-live'`, 'answered'],
  ['its request', `update ${answer} request_id = 'r-other'`, 'answered'],
  [
    'the job that it names, to another one of the same tenant',
    `update ${answer} response_body = jsonb_set(response_body::jsonb, '{ids,jobId}',
      (select to_jsonb(min(public_id)) from live.jobs where tenant = 'acme' and public_id <> 'job1-live'))`,
    'answered',
  ],
  [
    'what it says that was charged',
    `update ${answer} response_body = jsonb_set(response_body::jsonb, '{creditsCost}', '1')`,
    'answered',
  ],
  ['whose it is', `update ${answer} tenant = 'bold'`, 'answered'],
  [
    'the answer of one key, to that of another',
    `insert into live.idempotency_keys select tenant, endpoint, 'other', body_hash, request_id, job_id, status,
      response_status, response_headers, response_body, locked_until, created_at from live.idempotency_keys`,
    'answered',
  ],
];

describe('what consumers and keys say of themselves', () => {
  it('holds as it was written', async () => {
    const { findings, checks } = await audit();
    expect(findings.filter(({ check }) => check !== 'tasks')).toEqual([]);
    for (const name of ['checkpoints', 'stream-revisions', 'answered'])
      expect(checks.find((check) => check.name === name)?.checked).toBeGreaterThan(0);
  });

  it.each(alterations)('is not altered unseen: %s', async (_what, sql, check) => {
    await audited.sql(sql);
    const { findings } = await audit();
    for (const table of tables) {
      await audited.sql(`delete from ${table}`);
      await audited.sql(`insert into ${table} select * from ${keptCopy(table)}`);
    }
    expect(findings.map((finding) => finding.check)).toContain(check);
  });
});

describe('a job that has not ended', () => {
  it('is found when it has no task in the queue, and only then', async () => {
    const { fixture } = audited;
    await audited.write(new Story('live').queue('acme', 'waits').queue('acme', 'lost'));
    const open = (await audit()).findings
      .filter(({ check }) => check === 'tasks')
      .map(({ stream }) => stream);
    expect(open).not.toEqual([]);
    await audited.sql(`create schema pgboss`);
    await audited.sql(
      `create table pgboss.job (name text, state text, blocked boolean, group_id text, data jsonb)`,
    );
    for (const stream of open.slice(1))
      await fixture.rows(`insert into pgboss.job values ('render-live', 'active', false, 't', $1)`, [
        { jobId: stream!.replace('live.job-', '') },
      ]);
    const found = (await audit()).findings.filter(({ check }) => check === 'tasks');
    expect(found).toMatchObject(open.slice(0, 1).map((stream) => ({ stream })));
  });
});

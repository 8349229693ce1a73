import { testSigningKey } from '../support/signing-key.js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TakeUpJob } from '#application/job/job-writes.handler.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import type { ApiClient, Json } from '../api/support/api-client.js';
import { closeCharge, finishJob, startJob } from '../api/support/finish-job.js';
import { uploadPicture } from '../api/support/made-pictures.js';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { AdminService } from './support.js';

let service: ApiService;
let api: ApiClient;
let admin: AdminService;
let tenant: Tenant;
let support: string;
const order = { gender: 'FEMALE', ethnicity: 'east_african', body_type: 'athletic', age_range: '26-30' };

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  admin = await AdminService.start(service.databaseUrl);
  support = await admin.token('sue', 'support');
  tenant = await service.openTenant({ credits: 100, environment: 'live' });
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function dispatch(): Promise<Json> {
  const { status, body } = await api.post('/v1/model-generator', tenant.key, order);
  expect(status).toBe(202);
  await eventually(async () =>
    (await ask(`GET /jobs?tenant=${tenant.id}&limit=200`)).jobs.some(
      (job: Json) => job.job_id === body.job_id,
    ),
  );
  return body;
}

async function ask(route: string, body?: object): Promise<Json> {
  const answer = await admin.ask(route, support, body);
  expect({ route, status: answer.status, body: answer.body }).toMatchObject({ route, status: 200 });
  return answer.body;
}

const balance = async () => (await ask(`GET /tenants/${tenant.id}`)).balances.live;

describe('jobs across tenants', () => {
  it('are found by the id that a vendor gave a call', async () => {
    const { job_id } = await dispatch();
    const stream = streamName('live', 'job', job_id);
    const [queued] = (await service.store.readAll({ filter: { types: ['JobQueued'] } })).filter(
      (event) => event.stream === stream,
    );
    const call = { call: 'look.1', at: new Date().toISOString() };
    const called = {
      step: 'look',
      model: 'm',
      vendor: 'v',
      attempt: 1,
      idempotencyKey: 'k',
      tenant: tenant.id,
    };
    const tell = (type: string, data: object) => ({
      id: randomUUID(),
      type,
      data,
      metadata: queued!.metadata,
    });
    const events = [
      tell('EngineCalled', { ...call, ...called, operation: 'look' }),
      tell('EngineSubmitted', { ...call, vendorRequestId: `theirs-${job_id}` }),
    ];
    await service.store.append(stream, 'any', events);
    const sought = async () => (await ask(`GET /search?id=theirs-${job_id}`)).jobs;
    await eventually(async () =>
      expect(await sought()).toEqual([{ env: 'live', job_id, as: "vendor's request" }]),
    );
  });

  it('are found by any id, and tell their whole story', async () => {
    const { job_id, request_id } = await dispatch();
    for (const [id, as] of [
      [job_id, 'job'],
      [request_id, 'request'],
    ])
      expect((await ask(`GET /search?id=${id}`)).jobs).toEqual([{ env: 'live', job_id, as }]);
    const nothing = await admin.ask(`GET /search?id=${newId()}`, support);
    expect(nothing).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
    const story = await ask(`GET /jobs/${job_id}`);
    expect(story).toMatchObject({
      env: 'live',
      tenant_id: tenant.id,
      workflow: 'model-generator',
      status: 'queued',
      request_id,
      events: [{ type: 'JobQueued', metadata: { actor: `key:${tenant.keyId}`, requestId: request_id } }],
      ledger: [{ kind: 'operation', status: 'PENDING', credits_delta: -5 }],
    });
    const failed = await ask('GET /jobs?status=FAILURE&env=live');
    expect(failed.jobs.map((job: Json) => job.job_id)).not.toContain(job_id);
    const pro = await ask('GET /jobs?workflow=try-on');
    expect(pro.jobs).toEqual([]);
  });

  it('are cancelled with a refund when that is confirmed, in bulk, and left alone where they have ended', async () => {
    const jobs = [(await dispatch()).job_id, (await dispatch()).job_id];
    const before = await balance();
    const dry = await ask('POST /jobs/cancel', { jobs });
    expect(dry).toMatchObject({
      dry_run: true,
      jobs: jobs.map((job_id) => ({ job_id, done: false, credits: 5 })),
    });
    expect(await balance()).toBe(before);
    const done = await ask('POST /jobs/cancel', { jobs, confirm: true });
    expect(done.jobs.map((job: Json) => job.done)).toEqual([true, true]);
    expect(await balance()).toBe(before + 10);
    const again = await ask('POST /jobs/cancel', { jobs: [...jobs, newId()], confirm: true });
    expect(again.jobs.map((job: Json) => job.done)).toEqual([false, false, false]);
    expect(await balance()).toBe(before + 10);
    const { events } = await ask(`GET /jobs/${jobs[0]}`);
    expect(events.at(-1)).toMatchObject({ type: 'JobCancelled', metadata: { actor: 'operator:sue' } });
  });

  it('are dispatched anew as new jobs, which are charged', async () => {
    const { job_id } = await dispatch();
    const early = await ask('POST /jobs/retry', { jobs: [job_id], confirm: true });
    expect(early.jobs).toMatchObject([{ done: false }]);
    await ask('POST /jobs/cancel', { jobs: [job_id], confirm: true });
    const before = await balance();
    const { jobs } = await ask('POST /jobs/retry', { jobs: [job_id], confirm: true });
    expect(jobs).toMatchObject([{ done: true, new_job_id: expect.any(String) }]);
    expect(await balance()).toBe(before - 5);
    const anew = await ask(`GET /jobs/${jobs[0].new_job_id}`);
    expect(anew).toMatchObject({ status: 'queued', events: [{ data: { request: order } }] });
  });

  it('are dispatched anew once for each Idempotency-Key', async () => {
    const { job_id } = await dispatch();
    await ask('POST /jobs/cancel', { jobs: [job_id], confirm: true });
    const before = await balance();
    const send = (key: string, body: object) =>
      admin.ask('POST /jobs/retry', support, body, { 'idempotency-key': key });
    const again = { jobs: [job_id], confirm: true };
    const [key, otherKey] = [newId(), newId()];
    const sent = [...(await Promise.all([send(key, again), send(key, again)])), await send(key, again)];
    const made = sent.map(({ status, body }) => [status, body.jobs[0].done, body.jobs[0].new_job_id]);
    expect(made).toEqual(sent.map(() => [200, true, sent[0]?.body.jobs[0].new_job_id]));
    expect(await balance()).toBe(before - 5);
    const other = { ...again, succeeded: true };
    expect((await send(key, other)).body).toMatchObject({ error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const { body } = await send(otherKey, again);
    expect(body.jobs[0].new_job_id).not.toBe(sent[0]?.body.jobs[0].new_job_id);
    expect(await balance()).toBe(before - 10);
  });

  it('that succeeded are dispatched anew only where that is said, with another seed', async () => {
    const { job_id } = await dispatch();
    await startJob(service, tenant, job_id);
    await finishJob(service, tenant, job_id);
    const again = { jobs: [job_id], confirm: true };
    const before = await balance();
    expect((await ask('POST /jobs/retry', again)).jobs).toMatchObject([{ done: false }]);
    expect(await balance()).toBe(before);
    const { jobs } = await ask('POST /jobs/retry', { ...again, succeeded: true });
    expect(await balance()).toBe(before - 5);
    const seedOf = async (job: string) => (await ask(`GET /jobs/${job}`)).events[0].data.seed;
    expect(await seedOf(jobs[0].new_job_id)).not.toBe(await seedOf(job_id));
  });

  it('cost the price of now when they are dispatched anew, as the dry run says', async () => {
    const { job_id } = await dispatch();
    await ask('POST /jobs/cancel', { jobs: [job_id], confirm: true });
    const finance = await admin.token('flo', 'finance');
    const price = (credits: number) =>
      admin.ask('POST /operations/model-generator/price', finance, { credits, env: 'live' });
    expect((await price(7)).status).toBe(200);
    expect(await ask('POST /jobs/retry', { jobs: [job_id] })).toMatchObject({ jobs: [{ credits: 7 }] });
    const before = await balance();
    const { jobs } = await ask('POST /jobs/retry', { jobs: [job_id], confirm: true });
    expect(jobs).toMatchObject([{ done: true, credits: 7 }]);
    expect(await balance()).toBe(before - 7);
    expect((await price(5)).status).toBe(200);
  });

  it('fail with a refund where an attempt hangs', async () => {
    const { job_id } = await dispatch();
    const early = await ask('POST /jobs/fail', { jobs: [job_id], confirm: true });
    expect(early.jobs[0].outcome).toContain('cancel it');
    const context = admin.operator.context('live', tenant.id);
    await admin.operator.execute(new TakeUpJob(context, job_id, { worker: 'worker-gone' }));
    const before = await balance();
    const { jobs } = await ask('POST /jobs/fail', { jobs: [job_id], confirm: true });
    expect(jobs).toMatchObject([{ done: true, credits: 5 }]);
    expect(await balance()).toBe(before + 5);
    expect(await ask(`GET /jobs/${job_id}`)).toMatchObject({ status: 'failed' });
  });
});

describe('what the read models say about a job', () => {
  const rowsOf = async (job: string, position?: string): Promise<Json> => {
    const { models } = await ask(
      `GET /jobs/${job}/rows${position === undefined ? '' : `?position=${position}`}`,
    );
    return Object.fromEntries((models as Json[]).map(({ name, rows }) => [name, rows]));
  };

  /** The rows of a job, as the tables hold them. */
  async function storedRows(job: string, request: string, charge: string): Promise<Json> {
    const database = await admin.operator.database();
    const found: Json = {};
    for (const [model, key, id] of [
      ['jobs', 'public_id', job],
      ['timeline', 'job_id', job],
      ['renders', 'public_id', job],
      ['calls', 'job_id', job],
      ['usage', 'request_id', request],
      ['ledger', 'id', charge],
    ] as [string, string, string][])
      found[model] = (await database.query(`select * from live.${model} where ${key} = $1`, [id])).rows;
    found.timeline.sort((one: Json, other: Json) => one.seq - other.seq);
    return JSON.parse(JSON.stringify(found));
  }

  it('are at the last position the rows of the tables, and before it those of then', async () => {
    const { job_id: job, request_id: request } = await dispatch();
    await startJob(service, tenant, job);
    await finishJob(service, tenant, job);
    const { events } = await ask(`GET /jobs/${job}`);
    const ended = await rowsOf(job, events.at(-1).position);
    expect(ended).toMatchObject({ jobs: [{ status: 'SUCCESS' }], ledger: [{ status: 'PENDING' }] });
    await closeCharge(service, tenant, request, 'settle');

    const now = await rowsOf(job);
    expect(now).toMatchObject({
      jobs: [{ status: 'SUCCESS', result: [{}] }],
      renders: [{ public_id: job }],
      calls: [],
      timeline: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }],
      usage: [{ status: 'SUCCESS', open_charges: 0 }],
      ledger: [{ status: 'SUCCESS' }],
    });
    await eventually(async () => expect(await storedRows(job, request, request)).toEqual(now));
    expect(await rowsOf(job, events.at(-1).position)).toEqual(ended);
    expect(await rowsOf(job, events[0].position)).toMatchObject({
      jobs: [{ status: 'NOT_STARTED', latest_seq: 1 }],
      timeline: [{ seq: 1 }],
      renders: [{ storage_key: null }],
      ledger: [{ status: 'PENDING', resolved_at: null }],
    });
    expect(await rowsOf(job, '0')).toEqual({
      jobs: [],
      timeline: [],
      renders: [],
      calls: [],
      usage: [],
      ledger: [],
    });
    const wrong = await admin.ask(`GET /jobs/${job}/rows?position=last`, support);
    expect(wrong).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
  });

  it('count a batch as one request, and each photograph as a charge', async () => {
    const photos = [await uploadPicture(api, tenant), await uploadPicture(api, tenant)];
    const body = { photos: photos.map(({ assetId }) => ({ pdp_image_public_id: assetId })) };
    const { status, body: batch } = await api.post('/v1/pdp-batch-extractions', tenant.key, body);
    expect(status).toBe(202);
    const { child_job_ids: children } = await ask(`GET /jobs/${batch.job_id}`);
    const [, second] = children;
    await closeCharge(service, tenant, `${batch.request_id}.1`, 'refund');
    for (const [job, charge, lines] of [
      [batch.job_id, 'none', 0],
      [second, `${batch.request_id}.1`, 1],
    ]) {
      const rows = await rowsOf(job);
      expect(rows).toMatchObject({ usage: [{ job_id: batch.job_id, open_charges: 1 }] });
      expect(rows.ledger).toHaveLength(lines);
      await eventually(async () => expect(await storedRows(job, batch.request_id, charge)).toEqual(rows));
    }
  });
});

describe('a long call', () => {
  const follow = async (run: Json): Promise<Json> => {
    let view: Json;
    await eventually(async () => (view = await ask(`GET /runs/${run.run_id}`)).state !== 'running');
    return view;
  };

  it('is started, looked after, and written down with what came of it', async () => {
    const { status, body } = await admin.ask('POST /audits', support, {});
    expect({ status, state: body.state }).toEqual({ status: 202, state: 'running' });
    const run = await follow(body);
    expect(run).toMatchObject({
      action: 'ledger audit',
      by: 'sue',
      state: 'done',
      result: { streams: expect.any(Number) },
    });
    const { actions } = await ask('GET /actions?action=ledger%20audit');
    expect(actions[0]).toMatchObject({
      by: 'sue',
      outcome: 'done',
      summary: expect.stringMatching(/events$/),
    });
    const compared = await follow(
      (await admin.ask('POST /projections/compare', support, { name: ['ledger'] })).body,
    );
    expect(compared).toMatchObject({ state: 'done', result: { ok: true } });
    const refused = await follow(
      (await admin.ask('POST /projections/compare', support, { name: ['none'] })).body,
    );
    expect(refused).toMatchObject({
      state: 'refused',
      error: expect.stringContaining('there is no read model'),
    });
    const { runs } = await ask('GET /runs');
    expect(runs).toHaveLength(3);
  });

  it('looks to the command as one that it makes itself', async () => {
    const env = {
      DATABASE_URL: service.databaseUrl,
      URL_SIGNING_SECRET: 'x',
      ATELIER_SIGNING_KEY: testSigningKey,
    };
    const api = { ...env, ATELIER_ADMIN_URL: admin.url, ATELIER_OPERATOR_TOKEN: support };
    const run = (args: string[]) => runCommand(args, service.folder, { env: api });
    // Each run is recorded in the log, so the log is longer at the next run.
    const timeless = ({ code, stdout, stderr }: Json) => ({
      code,
      stderr,
      stdout: stdout.replace(/[\d.]+ s.*|\d+ a second/g, '').replace(/\d{2,}/g, 'N'),
    });
    for (const args of [
      ['projections', 'compare', 'ledger', 'jobs'],
      ['projections', 'compare', 'nothing'],
      ['orphans', 'list'],
      ['operations', 'list', '--env', 'test'],
      ['parked', 'list'],
      ['jobs', 'list', '--env', 'live'],
    ])
      expect(timeless(await run(args))).toEqual(timeless(await run([...args, '--direct'])));
  });
});

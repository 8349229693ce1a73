import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handle, load } from '#application/aggregate.js';
import { childJobId, childrenOf } from '#application/dispatch/dispatched-jobs.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { type QueuedJob, queueJob } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { expectError, type Answer, type ApiClient } from './support/api-client.js';
import { ApiService, contextOf, type Tenant } from './support/api-service.js';
import { failJob, finishJob, startJob } from './support/finish-job.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 1_000 });
});

async function dispatch(): Promise<string> {
  const { body } = await api.post('/v1/model-generator', tenant.key, {});
  return body.job_id as string;
}

function cancel(jobId: string, key = tenant.key): Promise<Answer> {
  return api.call('POST', `/v1/jobs/${jobId}/cancel`, { key });
}

async function balance(): Promise<number> {
  return (await api.get('/v1/credits', tenant.key)).body.balance as number;
}

async function typesOf(category: 'job' | 'account', id: string): Promise<string[]> {
  const slice = await service.store.readStream(streamName(tenant.environment, category, id), { limit: 1024 });
  return slice.kind === 'found' ? slice.events.map((event) => decode(event).type) : [];
}

const endings = new Set(['JobSucceeded', 'JobFailed', 'JobCancelled']);

describe('POST /v1/jobs/{public_id}/cancel', () => {
  it.each([
    ['a job that waits', async () => undefined, 2],
    ['a job that renders', (jobId: string) => startJob(service, tenant, jobId), 4],
  ])('ends %s, and its credits are back at once', async (_what, prepare, seq) => {
    const jobId = await dispatch();
    expect(await balance()).toBe(995);
    await prepare(jobId);
    const answer = await cancel(jobId);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-consistency-token')).toBeTruthy();
    expect(answer.body).toMatchObject({
      public_id: jobId,
      status: 'FAILURE',
      result: null,
      children: [],
      error: { code: 'CANCELLED' },
      latest_event: { seq, event_type: 'failed', extra: { error: { code: 'CANCELLED' } } },
    });
    expect(answer.body.finished_at).not.toBeNull();
    expect(await balance()).toBe(1_000);
    expect((await api.get('/v1/transactions', tenant.key)).body.items[0]).toMatchObject({
      status: 'REFUNDED',
      credits_delta: 0,
    });
    expect((await api.get(`/v1/jobs/${jobId}`, tenant.key)).body).toEqual(answer.body);
  });

  it.each(['succeeds', 'fails', 'was cancelled'])('refuses a job that %s already', async (how) => {
    const jobId = await dispatch();
    if (how === 'was cancelled') await cancel(jobId);
    else {
      await startJob(service, tenant, jobId);
      await (how === 'succeeds' ? finishJob : failJob)(service, tenant, jobId);
    }
    const before = await typesOf('account', tenant.id);
    expectError(await cancel(jobId), 409, 'JOB_ALREADY_FINISHED');
    expect(await typesOf('account', tenant.id)).toEqual(before);
  });

  it("answers for another tenant's job as for an unknown one, and leaves it alone", async () => {
    const jobId = await dispatch();
    const other = await service.openTenant();
    const foreign = await cancel(jobId, other.key);
    const absent = await cancel(newId(), other.key);
    expectError(foreign, 404, 'RESOURCE_NOT_FOUND');
    expect(foreign.body.error.message).toBe(absent.body.error.message);
    expectError(await cancel('no-id'), 404, 'RESOURCE_NOT_FOUND');
    expect(await typesOf('job', jobId)).toEqual(['JobQueued']);
  });

  it('needs the capability to create jobs', async () => {
    const jobId = await dispatch();
    const reader = await service.issueKey(tenant, ['jobs:read']);
    expectError(await cancel(jobId, reader.key), 403, 'CAPABILITY_REQUIRED');
  });

  it('takes an empty object for a body, and refuses fields that would mean nothing', async () => {
    const jobId = await dispatch();
    const path = `/v1/jobs/${jobId}/cancel`;
    expectError(await api.post(path, tenant.key, { reason: 'changed my mind' }), 422, 'VALIDATION_ERROR');
    expectError(await api.post(path, tenant.key, []), 422, 'VALIDATION_ERROR');
    expect((await api.post(path, tenant.key, {})).status).toBe(200);
  });

  it('comes together with a success 30 times: one of them wins, and the credits follow it', async () => {
    let cancelled = 0;
    for (let round = 0; round < 30; round++) {
      const jobId = await dispatch();
      await startJob(service, tenant, jobId);
      const before = await balance();
      const late = round % 3;
      const [answer] = await Promise.all([
        new Promise((resolve) => setTimeout(resolve, late)).then(() => cancel(jobId)),
        finishJob(service, tenant, jobId).catch((error: unknown) =>
          expect(String(error)).toContain('JOB_FINISHED'),
        ),
      ]);
      const won = answer.status === 200;
      if (!won) expectError(answer, 409, 'JOB_ALREADY_FINISHED');
      cancelled += Number(won);
      const ends = (await typesOf('job', jobId)).filter((type) => endings.has(type));
      expect(ends).toEqual([won ? 'JobCancelled' : 'JobSucceeded']);
      expect(await balance()).toBe(before + (won ? 5 : 0));
    }
    const refunds = (await typesOf('account', tenant.id)).filter((type) => type === 'CreditsRefunded');
    expect(refunds).toHaveLength(cancelled);
  });

  it('sent ten times at once cancels once', async () => {
    const jobId = await dispatch();
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(jobId)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array(9).fill(409),
    ]);
    expect(await balance()).toBe(1_000);
  });
});

describe('cancelling a batch', () => {
  it('cancels what has not ended, fences off what is not queued, and gives back both', async () => {
    const parent = batchOf(3);
    await queue(parent);
    const children = childrenOf(parent);
    for (const child of children) await debit(child);
    await queue(children[0]!);
    await queue(children[1]!);
    await startJob(service, tenant, children[0]!.jobId);
    await finishJob(service, tenant, children[0]!.jobId);
    expect(await balance()).toBe(1_000 - 3 * 5);

    const answer = await cancel(parent.jobId);
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('FAILURE');
    expect(answer.body.children.map(({ status }: { status: string }) => status)).toEqual([
      'SUCCESS',
      'FAILURE',
    ]);
    expect(await balance()).toBe(1_000 - 5);
    const third = await load(
      service.store,
      streamName(tenant.environment, 'job', children[2]!.jobId),
      jobAggregate,
    );
    expect(third.state.status).toBe('voided');
  });
});

function batchOf(photographs: number): QueuedJob {
  const jobId = newId();
  return {
    jobId,
    tenant: tenant.id,
    requestId: newId(),
    chargeId: null,
    parentJobId: null,
    operation: 'pdp-batch-extractions',
    jobType: 'PDP_BATCH_EXTRACTION',
    displayName: 'Batch',
    seed: 1,
    creditsCost: photographs * 5,
    request: { photos: Array.from({ length: photographs }, () => ({ pdp_image_public_id: newId() })) },
    inputs: [],
    childJobIds: Array.from({ length: photographs }, (_, index) => childJobId(jobId, index)),
    at: new Date().toISOString(),
  };
}

async function queue(job: QueuedJob): Promise<void> {
  const stream = streamName(tenant.environment, 'job', job.jobId);
  const context = contextOf(tenant.environment, tenant.id);
  const queued = await handle(service.store, stream, jobAggregate, (state) => queueJob(job, state), context);
  expect(queued.kind).toBe('accepted');
}

async function debit({ chargeId, requestId, jobId, operation, at }: QueuedJob): Promise<void> {
  const command = {
    chargeId: chargeId!,
    requestId,
    jobId,
    operation,
    endpoint: `/v1/${operation}`,
    amount: 5,
    at,
  };
  const verdict = await service.accounts.execute(contextOf(tenant.environment, tenant.id), (account) =>
    debitCredits([command], account),
  );
  expect(verdict.kind).toBe('accepted');
}

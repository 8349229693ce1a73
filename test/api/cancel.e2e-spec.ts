import { beforeEach, describe, expect, it } from 'vitest';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { expectError, type Answer } from './support/api-client.js';
import type { Tenant } from './support/api-service.js';
import { failJob, finishJob, startJob } from './support/finish-job.js';
import { Story } from '../process-managers/support/story.js';
import { eventsIn } from '../support/streams.js';
import { openWorld } from './support/world.js';

const { service, api } = await openWorld();
let tenant: Tenant;
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
  const events = await eventsIn(service.store, streamName(tenant.environment, category, id));
  return events.map(({ type }) => type);
}

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

  it('takes an empty object for a body, and refuses fields that would mean nothing', async () => {
    const jobId = await dispatch();
    const path = `/v1/jobs/${jobId}/cancel`;
    expectError(await api.post(path, tenant.key, { reason: 'changed my mind' }), 422, 'VALIDATION_ERROR');
    expectError(await api.post(path, tenant.key, []), 422, 'VALIDATION_ERROR');
    expect((await api.post(path, tenant.key, {})).status).toBe(200);
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
    tenant = await service.openTenant({ credits: 1_000, environment: 'test' });
    const story = new Story(service.store, service.accounts, tenant.id);
    const { parent, children } = story.batch(3);
    const [first, second, third] = children;
    for (const child of children) await story.charge(child);
    for (const job of [parent, first!, second!]) await story.queue(job);
    await story.end(first!, 'succeeded');
    expect(await balance()).toBe(1_000 - 3 * 5);

    const answer = await cancel(parent.jobId);
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('FAILURE');
    expect(answer.body.children.map(({ status }: { status: string }) => status)).toEqual([
      'SUCCESS',
      'FAILURE',
    ]);
    expect(await balance()).toBe(1_000 - 5);
    expect(await typesOf('job', third!.jobId)).toEqual(['JobVoided']);
  });
});

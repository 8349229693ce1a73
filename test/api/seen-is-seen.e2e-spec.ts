import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type ApiClient, type Json } from './support/api-client.js';
import { ApiService, type Tenant } from './support/api-service.js';
import { finishJob, startJob } from './support/finish-job.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
let other: pg.Client;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  tenant = await service.openTenant({ credits: 100 });
  other = new pg.Client({ connectionString: service.databaseUrl });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await service[Symbol.asyncDispose]();
});

/** The job's events as they come, from its own stream. */
async function follow(jobId: string): Promise<string> {
  const response = await fetch(`${api.url}/v1/jobs/${jobId}/events`, {
    headers: { authorization: `Bearer ${tenant.key}`, accept: 'text/event-stream' },
  });
  return response.text();
}

describe('what a client was shown of a job', () => {
  it('holds for all its reads: once it saw the end, the gallery waits until it has the picture', async () => {
    const { body } = await api.post('/v1/model-generator', tenant.key, {});
    const jobId = body.job_id as string;
    expect((await api.get('/v1/renders', tenant.key)).body.items).toEqual([]);
    // The lock stops the projector before its next commit; readers are not held up.
    await other.query('begin');
    await other.query('lock table live.renders in share mode');
    try {
      await startJob(service, tenant, jobId);
      await finishJob(service, tenant, jobId);
      expect(await follow(jobId)).toContain('event: succeeded');
      const gallery = api.get('/v1/renders', tenant.key);
      await sleep(200);
      await other.query('rollback');
      expect(((await gallery).body.items as Json[]).map(({ public_id: id }) => id)).toEqual([jobId]);
    } finally {
      await other.query('rollback');
    }
  });
});

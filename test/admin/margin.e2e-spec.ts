import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toNewEvent } from '#application/command-context.js';
import { streamName, type Environment } from '#domain/streams.js';
import { contextOf } from '../api/support/api-service.js';
import { finishJob, startJob } from '../api/support/finish-job.js';
import { eventually } from '../support/eventually.js';
import { verbsOn } from '../cli/support/verbs.js';
import { openOffice } from './support.js';

/*
 * The margin that remains of a sold credit. Credits of the test environment are given away and count as
 * nothing.
 */

const models = join(mkdtempSync(join(tmpdir(), 'atelier-models-')), 'models.json');
const list = { currency: 'USD', credit_price: 0.5, workflow_models: {}, tenant_models: {} };
writeFileSync(
  models,
  JSON.stringify({ ...list, models: [{ id: 'sketch-1', family: 'sketch', max_inputs: 8 }] }),
);
const variables = { ATELIER_MODELS_FILE: models };
const { service, api, admin, token } = await openOffice(variables);
await drawnFor('live', 1);
await drawnFor('test', 3);

/** Makes jobs of 5 credits that succeed after one vendor call for 0.25. */
async function drawnFor(environment: Environment, jobs: number): Promise<void> {
  const tenant = await service.openTenant({ credits: 100, environment });
  for (let each = 0; each < jobs; each++) {
    const { body } = await api.post('/v1/model-generator', tenant.key, {});
    const jobId = body.job_id as string;
    await startJob(service, tenant, jobId);
    const at = new Date().toISOString();
    const paid = { units: 1, price: 0.25, currency: 'USD', latencyMs: 1, vendorRequestId: 'req' };
    const called = { call: 'm.1', step: 'm', model: 'sketch-1', vendor: 'openai', attempt: 1 };
    const of = { idempotencyKey: jobId, tenant: tenant.id, operation: 'model-generator' };
    const events = [
      { type: 'EngineCalled', data: { ...called, ...of, at } },
      { type: 'EngineAnswered', data: { call: 'm.1', outcome: 'answered', ...paid, at } },
    ] as const;
    const context = contextOf(environment, tenant.id);
    const written = events.map((event, index) => toNewEvent(event, index, context));
    await service.store.append(streamName(environment, 'job', jobId), 2n, written);
    await finishJob(service, tenant, jobId);
  }
}

const live = { env: 'live', credits_taken: 5, credits_returned: 0, price: 0.25, margin: 2.25 };
const test = { env: 'test', credits_taken: 15, credits_returned: 0, price: 0.75, margin: null };

it('is told by Now for each environment, and only for live', async () => {
  // Now caches a day's figures for a while: the jobs must exist before the first request.
  await eventually(async () => (await admin.ask('GET /jobs?status=SUCCESS', token)).body.total === 4);
  const { body } = await admin.ask('GET /now', token);
  expect(body.last_day).toMatchObject([live, test]);
});

it('is of live in the costs, unless test is asked for', async () => {
  const ask = async (query: string) => (await admin.ask(`GET /costs${query}`, token)).body;
  const { env: _live, ...ofLive } = live;
  const { env: _test, ...ofTest } = test;
  expect(await ask('')).toMatchObject({ env: 'live', costs: [ofLive] });
  expect(await ask('?env=live')).toMatchObject({ env: 'live', costs: [ofLive] });
  expect(await ask('?env=test')).toMatchObject({ env: 'test', costs: [ofTest] });
  expect(await verbsOn(service, variables).json(['costs'])).toMatchObject({ env: 'live', costs: [ofLive] });
});

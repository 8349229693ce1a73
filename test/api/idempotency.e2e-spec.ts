import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toNewEvent } from '#application/command-context.js';
import { idempotencyLeaseMs, idempotencyRenewalMs } from '#application/dispatch/idempotency.js';
import { streamName } from '#domain/streams.js';
import { contextOf, type Tenant } from './support/api-service.js';
import { changePlan } from '../support/operator.js';
import { startRole } from '../support/role-process.js';
import { ApiClient, expectError, type Answer, type Json } from './support/api-client.js';
import { openWorld } from './support/world.js';

const { service, api: first } = await openWorld();
const apis = [first, await service.openApi()] as const;
const database = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
database.on('error', () => undefined);
afterAll(() => database.end());
let tenant: Tenant;
beforeEach(async () => {
  tenant = await service.openTenant({ credits: 1_000 });
});

const path = '/v1/model-generator';

function dispatch(key: string, body: unknown = { seed: 7 }, api: ApiClient = apis[0]): Promise<Answer> {
  return api.post(path, tenant.key, body, { 'idempotency-key': key });
}

/** Repeats a dispatch that is still in progress, as a client does. */
async function persistently(key: string, api: ApiClient): Promise<Answer> {
  for (;;) {
    const answer = await dispatch(key, { seed: 7 }, api);
    // On a busy machine a database connection may not come free in time; the answer then says to try again.
    if (![409, 503].includes(answer.status)) return answer;
    expectError(
      answer,
      answer.status,
      answer.status === 409 ? 'IDEMPOTENCY_KEY_IN_USE' : 'SERVICE_UNAVAILABLE',
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function lines(): Promise<{ jobs: number; operations: number; usage: number }> {
  const jobs = (await apis[0].get('/v1/jobs', tenant.key)).body.count as number;
  const { items } = (await apis[0].get('/v1/transactions', tenant.key)).body as { items: { kind: string }[] };
  // Each call that was answered with 409 has a row of its own.
  const { items: calls } = (await apis[0].get('/v1/usage?limit=200', tenant.key)).body;
  const usage = calls.filter((call: Json) => call.http_status !== 409).length as number;
  return { jobs, operations: items.filter(({ kind }) => kind === 'operation').length, usage };
}

describe('an Idempotency-Key', () => {
  it('sent 50 times at once, to two instances, makes one job and one ledger line', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => persistently('fifty', apis[index % 2] as ApiClient)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(202));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const first = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    expect(first).toHaveLength(1);
    expect(await lines()).toEqual({ jobs: 1, operations: 1, usage: 1 });
  });

  it('replays the first answer for the same body, however it is written', async () => {
    const first = await dispatch('same', { seed: 7, metadata: { a: 1, b: 2 } });
    const again = await dispatch('same', { metadata: { b: 2, a: 1 }, display_name: null, seed: 7 });
    expect(again.status).toBe(202);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('x-request-id')).not.toBe(first.body.request_id);
  });

  it('does not remember a refusal: once its cause is mended, the same key is accepted, and that is remembered', async () => {
    tenant = await service.openTenant({ credits: 4, terms: { dailySpendCapCredits: 5 } });
    for (let round = 0; round < 2; round++) {
      const refused = await dispatch('poor');
      expectError(refused, 402, 'INSUFFICIENT_BALANCE');
      expect(refused.headers.get('idempotent-replayed')).toBeNull();
    }
    await service.grant(tenant, 100);
    const accepted = await dispatch('poor');
    expect(accepted.status).toBe(202);
    expect((await dispatch('poor')).body).toEqual(accepted.body);
    expectError(await dispatch('capped'), 402, 'DAILY_SPEND_CAP_EXCEEDED');
    await changePlan(service.accounts, contextOf('live', tenant.id), { dailySpendCapCredits: 10 });
    expect((await dispatch('capped')).status).toBe(202);
    expect(await lines()).toEqual({ jobs: 2, operations: 2, usage: 5 });
    const { rows } = await database.query(
      `select count(*)::int as voided from event_store.events where type = 'JobVoided' and metadata ->> 'tenant' = $1`,
      [tenant.id],
    );
    expect(rows).toEqual([{ voided: 0 }]);
  });

  it('is refused with another body', async () => {
    await dispatch('reused', { seed: 7 });
    const answer = await dispatch('reused', { seed: 8 });
    expectError(answer, 422, 'IDEMPOTENCY_KEY_REUSED');
    expect(await lines()).toMatchObject({ jobs: 1, operations: 1 });
  });

  it('belongs to one tenant, one endpoint and one environment', async () => {
    const first = await dispatch('mine');
    tenant = await service.openTenant({ credits: 1_000 });
    const second = await dispatch('mine');
    tenant = await service.openTenant({ credits: 1_000, environment: 'test' });
    const third = await dispatch('mine');
    expect(new Set([first, second, third].map(({ body }) => body.job_id as string)).size).toBe(3);
  });

  it('of 1 and of 255 characters is fine', async () => {
    for (const key of ['!', '~'.repeat(255)]) expect((await dispatch(key)).status).toBe(202);
  });

  it('does not remember a reference that was unknown', async () => {
    const body = { product_image_s3_key: 'unknown' };
    for (let round = 0; round < 2; round++) {
      const headers = { 'idempotency-key': 'reference' };
      const answer = await apis[0].post('/v1/product-to-model-direct', tenant.key, body, headers);
      expectError(answer, 404, 'RESOURCE_NOT_FOUND');
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
    }
  });

  it('goes on with the same charge after a try that died before it could answer', async () => {
    const first = await dispatch('crash');
    // Leaves the key as a crash between the charge and the answer does: running, with an expired lease.
    await interrupt('crash');
    const answers = await Promise.all(Array.from({ length: 10 }, () => persistently('crash', apis[1])));
    for (const answer of answers) expect(answer.body).toEqual(first.body);
    expect(await lines()).toMatchObject({ jobs: 1, operations: 1 });
  });

  it('charges anew, once, when the sweep has given the first charge back', async () => {
    const first = await dispatch('swept');
    const requestId = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';
    const jobId = '01K9Z7J0V6X8Y2Z4A6B8C0D2EF';
    await database.query(
      `update live.idempotency_keys set request_id = $1, job_id = $2 where tenant = $3 and key = 'swept'`,
      [requestId, jobId, tenant.id],
    );
    await interrupt('swept');
    await fence(requestId, jobId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => persistently('swept', apis[1])));
    const jobs = new Set(answers.map(({ body }) => body.job_id as string));
    expect(jobs.size).toBe(1);
    expect([...jobs]).not.toContain(jobId);
    expect([...jobs]).not.toContain(first.body.job_id);
    expect(await lines()).toMatchObject({ jobs: 2, operations: 2 });
  });
});

describe('a dispatch that takes its time', () => {
  /** Blocks every append until it is released: a dispatch takes its key and stops at its debit. */
  async function holdTheLog(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    await client.query('begin; lock table event_store.events in share row exclusive mode');
    return async () => {
      await client.query('rollback');
      await client.end();
    };
  }

  async function taken(key: string): Promise<void> {
    const running = `select from live.idempotency_keys where tenant = $1 and key = $2 and status = 'running'`;
    while ((await database.query(running, [tenant.id, key])).rowCount === 0) await sleep(20);
  }

  it('keeps its key for as long as its process lives', async () => {
    // This dispatch does the account's first read, which needs the log, before the log is locked.
    await dispatch('before');
    const letGo = await holdTheLog();
    const first = dispatch('slow');
    try {
      await taken('slow');
      for (const end = Date.now() + idempotencyLeaseMs + 2_000; Date.now() < end; await sleep(250)) {
        expectError(await dispatch('slow', { seed: 7 }, apis[1]), 409, 'IDEMPOTENCY_KEY_IN_USE');
      }
    } finally {
      await letGo();
    }
    expect((await first).status).toBe(202);
    const again = await dispatch('slow', { seed: 7 }, apis[1]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual((await first).body);
  });

  it('gives its key up soon after its process was killed', async () => {
    const role = await startRole('apps/api/src/main.js', service.roleSettings);
    const dying = new ApiClient(`http://127.0.0.1:${String(role.ready['port'])}`);
    await dispatch('before', { seed: 7 }, dying);
    const letGo = await holdTheLog();
    const lost = dispatch('killed', { seed: 7 }, dying).catch(() => 'lost');
    await taken('killed');
    // Long enough for a renewal.
    await sleep(2 * idempotencyRenewalMs + 500);
    await role.stop('SIGKILL');
    const killedAt = Date.now();
    await letGo();
    expect(await lost).toBe('lost');
    expect((await persistently('killed', apis[1])).status).toBe(202);
    expect(Date.now() - killedAt).toBeLessThan(idempotencyLeaseMs + 15_000);
    expect(await lines()).toMatchObject({ jobs: 2, operations: 2 });
  });
});

async function interrupt(key: string): Promise<void> {
  await database.query(
    `update live.idempotency_keys set status = 'running', response_body = null, locked_until = now() - interval '1 s'
     where tenant = $1 and key = $2`,
    [tenant.id, key],
  );
}

/** Does to a job that was never queued the same as the sweep does. */
async function fence(chargeId: string, jobId: string): Promise<void> {
  const data = { chargeId, tenant: tenant.id, reason: 'orphaned', at: new Date().toISOString() } as const;
  const event = toNewEvent({ type: 'JobVoided', data }, 0, contextOf('live', tenant.id));
  await service.store.append(streamName('live', 'job', jobId), 'no-stream', [event]);
}

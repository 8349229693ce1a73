import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { connectionBudgets } from '#platform/connections.js';
import { Service } from './support/service.js';
import { untilEnd } from '../support/until-end.js';

/**
 * Connections of the spec itself, beside the roles: the log of its service with its listener, and the query
 * below.
 */
const ownConnections = 4 + 1 + 1;

const service = untilEnd(await Service.start());
const database = new pg.Client({ connectionString: service.inner.databaseUrl });
await database.connect();
afterAll(() => database.end());

async function openConnections(): Promise<number> {
  const { rows } = await database.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  return rows[0]?.open ?? 0;
}

type Answer = Awaited<ReturnType<Service['api']['get']>>;

/** Does what a 503 says: on a busy machine a request may wait for a connection longer than the API lets it. */
async function untilServed(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

describe('an API, a projector and a worker under load', () => {
  it('open no more connections than their budgets, and answer', async () => {
    const { api } = service;
    const tenant = await service.inner.openTenant({ credits: 10_000, environment: 'test' });
    let most = 0;
    let done = false;
    const watching = (async () => {
      for (; !done; await sleep(10)) most = Math.max(most, await openConnections());
    })();
    const paths = ['/v1/jobs', '/v1/credits', '/v1/usage', '/v1/transactions', '/v1/renders'];
    const dispatches = Array.from({ length: 100 }, (_, index) =>
      untilServed(() =>
        api.post('/v1/model-generator', tenant.key, { seed: 1 }, { 'idempotency-key': `k${index}` }),
      ),
    );
    const reads = Array.from({ length: 200 }, (_, index) =>
      untilServed(() => api.get(paths[index % 5] as string, tenant.key)),
    );
    const probes = Array.from({ length: 20 }, () => api.get('/health/ready'));
    const answers = await Promise.all([...dispatches, ...reads, ...probes]);
    done = true;
    await watching;
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 300)).toEqual([...Array(100).fill(202), ...Array(200).fill(200)]);
    // A busy machine may take longer than a probe waits for.
    for (const status of statuses.slice(300)) expect([200, 503]).toContain(status);
    const { api: ofApi, projector, worker } = connectionBudgets;
    expect(most).toBeGreaterThan(ownConnections);
    expect(most).toBeLessThanOrEqual(ofApi + projector + worker + ownConnections);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../api/support/api-client.js';
import type { Tenant } from '../api/support/api-service.js';
import type { Json } from '../api/support/api-client.js';
import { openWorld } from '../api/support/world.js';
import { verbsOn } from '../cli/support/verbs.js';

const { service, api } = await openWorld();
const tenants = await Promise.all([1, 2].map(() => service.openTenant({ credits: 100_000 })));

const projections = (...args: string[]) => verbsOn(service).json(['projections', ...args]);

/** Dispatches and reads back its own writes, one after the other, until it is stopped. */
function startLoad({ key }: Tenant) {
  let stopped = false;
  let dispatches = 0;
  const failures: string[] = [];
  const check = (answer: Answer, holds: boolean, what: string) => {
    if (answer.status !== 200 || answer.headers.has('x-consistency') || !holds)
      failures.push(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  };
  const round = async () => {
    const sent = await api.post('/v1/model-generator', key, { gender: 'FEMALE', seed: dispatches });
    if (sent.status !== 202) {
      failures.push(`dispatch answered ${sent.status}`);
      return;
    }
    dispatches += 1;
    const job: string = sent.body.job_id;
    const request: string = sent.body.request_id;
    const [jobs, events, usage, transactions, credits] = await Promise.all(
      [
        '/v1/jobs?limit=1',
        `/v1/jobs/${job}/events`,
        '/v1/usage?limit=1',
        '/v1/transactions?limit=1',
        '/v1/credits',
      ].map((path) => api.get(path, key)),
    );
    const first = (answer: Answer) => answer.body.items?.[0] ?? {};
    check(jobs!, jobs!.body.jobs?.[0]?.public_id === job, 'jobs');
    check(events!, events!.body.events?.[0]?.event_type === 'queued', 'events');
    check(usage!, first(usage!).request_id === request, 'usage');
    check(transactions!, first(transactions!).id === request, 'transactions');
    check(credits!, true, 'credits');
  };
  const running = (async () => {
    while (!stopped) {
      await round().catch((error: unknown) => failures.push(String(error)));
      await sleep(5);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return { dispatches, failures };
    },
  };
}

describe('while requests go on', () => {
  it('read models are rebuilt, switched and taken back, and every caller sees what it wrote', async () => {
    const loads = tenants.map(startLoad);
    const reports: Json[] = [];
    let results: Awaited<ReturnType<(typeof loads)[0]['stop']>>[];
    try {
      reports.push(await projections('rebuild', '--all'));
      await projections('rollback', '--all', '--env', 'live');
      await projections('rebuild', 'jobs', 'usage', '--env', 'live', '--no-switch');
      reports.push(await projections('switch', 'jobs', 'usage', '--env', 'live'));
      await projections('compare', '--all', '--env', 'live');
    } finally {
      results = await Promise.all(loads.map((load) => load.stop()));
    }
    for (const { failures, dispatches } of results) {
      expect(failures).toEqual([]);
      expect(dispatches).toBeGreaterThan(20);
    }
    for (const { environments } of reports)
      for (const { projections: models, held_ms: heldMs } of environments) {
        expect((models as Json[]).filter(({ switched }) => !switched)).toEqual([]);
        expect(heldMs).toBeLessThan(5_000);
      }
  });
});

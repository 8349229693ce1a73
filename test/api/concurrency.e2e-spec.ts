import { describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultHttpLimits } from '../../apps/api/src/http/request-body.js';
import { expectError, type ApiClient } from './support/api-client.js';
import { openWorld } from './support/world.js';

// On a slow machine, a thousand simultaneous requests wait longer for their turn than the limit for a single
// request.
const { requestMs } = defaultHttpLimits;
const limits = { ...defaultHttpLimits, headersMs: requestMs, storeMs: requestMs };
const { service, api: first } = await openWorld({ limits });
const apis = [first, await service.openApi(undefined, undefined, limits)] as const;

describe('1,000 dispatches at the same time', () => {
  it.each([1, 2])('against a balance for ten make ten jobs, with %i API instances', async (instances) => {
    const { key } = await service.openTenant({ credits: 50 });
    for (const api of apis) await api.get('/v1/credits', key);
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        (apis[index % instances] as ApiClient).post('/v1/model-generator', key, { seed: index }),
      ),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(10);
    expect(new Set(accepted.map(({ body }) => body.job_id as string)).size).toBe(10);
    for (const answer of answers) if (answer.status !== 202) expectError(answer, 402, 'INSUFFICIENT_BALANCE');

    for (const api of apis.slice(0, instances)) {
      expect((await api.get('/v1/credits', key)).body.balance).toBe(0);
      const { items, total } = (await api.get('/v1/transactions?limit=200', key)).body;
      expect(total).toBe(11);
      const deltas = (items as { credits_delta: number }[]).map(({ credits_delta: delta }) => delta);
      expect(deltas.reduce((sum, delta) => sum + delta, 0)).toBe(0);
      expect(deltas.filter((delta) => delta === -5)).toHaveLength(10);
    }
    expect((await apis[0].get('/v1/jobs?limit=200', key)).body.count).toBe(10);
    // Under such a load a refusal may be answered before it is recorded, but none is lost.
    const recorded = async () => (await apis[0].get('/v1/usage', key)).body.total as number;
    while ((await recorded()) < 1_000) await sleep(100);
    expect(await recorded()).toBe(1_000);
  });

  it('never let ledger and balance differ while they run', async () => {
    const { key } = await service.openTenant({ credits: 150 });
    let running = true;
    const load = Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (apis[index % 2] as ApiClient).post('/v1/model-generator', key, {}),
      ),
    ).finally(() => (running = false));
    let compared = 0;
    while (running) {
      const before = (await apis[0].get('/v1/credits', key)).body.balance as number;
      const { items } = (await apis[1].get('/v1/transactions?limit=200', key)).body;
      const after = (await apis[0].get('/v1/credits', key)).body.balance as number;
      const sum = (items as { credits_delta: number }[]).reduce(
        (all, { credits_delta: delta }) => all + delta,
        0,
      );
      // Credits are spent between the reads, so the ledger's sum lies between the balance before and the
      // balance after.
      expect(sum).toBeLessThanOrEqual(before);
      expect(sum).toBeGreaterThanOrEqual(after);
      compared += 1;
    }
    await load;
    expect(compared).toBeGreaterThan(0);
    expect((await apis[1].get('/v1/credits', key)).body.balance).toBe(0);
  });
});

describe('a write through one instance', () => {
  it('is seen through another one by whoever brings its token', async () => {
    const { key } = await service.openTenant({ credits: 50 });
    for (let round = 1; round <= 10; round++) {
      const written = await apis[round % 2]?.post('/v1/model-generator', key, {});
      const token = written?.headers.get('x-consistency-token') ?? '';
      const other = apis[(round + 1) % 2] as ApiClient;
      const jobs = await other.get('/v1/jobs', key, { 'x-consistency-token': token });
      expect(jobs.body.count).toBe(round);
      expect(jobs.headers.get('x-consistency')).toBeNull();
      const usage = await other.get('/v1/usage', key, { 'x-consistency-token': token });
      expect(usage.body.total).toBe(round);
    }
  });
});

describe('six who change the same webhook again and again', () => {
  it('are all answered: none loses to the others for ever', async () => {
    const { key } = await service.openTenant();
    const [api] = apis;
    const endpoint = { url: 'https://shop.example/hook', events: ['job.succeeded'] };
    const { body } = await api.post('/v1/webhooks', key, endpoint);
    const path = `/v1/webhooks/${body.public_id}`;
    const ask = async (place: number, round: number) =>
      place === 0
        ? api.post(`${path}/rotate-secret`, key, { overlap_hours: round })
        : api.call('PATCH', path, { key, json: { credits_low_below: 1 + round * 6 + place } });
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, place) => {
        const statuses: number[] = [];
        for (let round = 0; round < 60; round++) statuses.push((await ask(place, round)).status);
        return statuses;
      }),
    );
    expect(new Set(answers.flat())).toEqual(new Set([200]));
  });
});

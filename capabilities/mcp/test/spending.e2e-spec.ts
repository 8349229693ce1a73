import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../test/api/support/api-client.js';
import { ApiService, contextOf, type Tenant } from '../../../test/api/support/api-service.js';
import { eventually } from '../../../test/support/eventually.js';
import { priceOperation } from '../../../test/support/operator.js';
import {
  agrees,
  answer,
  call,
  connectAgent,
  declines,
  refusal,
  textOf,
  type Person,
} from './support/agent-client.js';

const generator = { workflow: 'model-generator', body: { gender: 'FEMALE' } };

let service: ApiService;
/** Two processes, which share nothing but the database. */
let [one, other]: ApiClient[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  service = await ApiService.start();
  [one, other] = [await service.openApi(), await service.openApi()];
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service[Symbol.asyncDispose]();
});

async function agentOf(
  { key }: Tenant,
  options: { person?: Person; session?: string; legacy?: boolean; api?: ApiClient | undefined } = {},
): Promise<Client> {
  const { api = one, ...rest } = options;
  const client = await connectAgent({ url: api!.url, key, ...rest });
  clients.push(client);
  return client;
}

/** A store that is too busy is asked again, as agents are told to do. */
const answerAtLast = (client: Client, name: string, given: object) =>
  eventually(async () => {
    const result = await answer(client, name, given);
    return !textOf(result).startsWith('SERVICE_UNAVAILABLE') && result;
  });

const testTenant = (credits = 100) => service.openTenant({ environment: 'test', credits });

async function jobsOf({ key }: Tenant): Promise<string[]> {
  const { body } = await one!.get('/v1/jobs', key);
  return (body.jobs as { public_id: string }[]).map(({ public_id }) => public_id);
}

const balanceOf = async ({ key }: Tenant) => (await one!.get('/v1/credits', key)).body.balance as number;

describe('an agent whose client can ask a person', () => {
  it('orders what the person agrees to, and the person sees price, balance and end', async () => {
    const tenant = await testTenant();
    const asked: string[] = [];
    const agent = await agentOf(tenant, {
      person: (message) => {
        asked.push(message);
        return agrees(message);
      },
    });
    const offer = await call(agent, 'quote', generator);
    expect(offer).toMatchObject({ credits: 5, balance: 100, consent: 'person', confirmation_id: null });
    expect(await balanceOf(tenant)).toBe(100);
    const { offer_id } = offer;
    const order = await call(agent, 'order', { offer_id });
    expect(order).toMatchObject({ credits: 5, balance: 95, consent: 'person', replayed: false });
    expect(asked).toEqual([
      `Order model-generator for 5 test credits? The balance is 100. The offer ends at ${offer.expires_at}. ` +
        'It is ordered and charged once.',
    ]);
    expect(await call(agent, 'order', { offer_id })).toMatchObject({ job_id: order.job_id, replayed: true });
    expect(asked).toHaveLength(1);
    expect(await jobsOf(tenant)).toEqual([order.job_id]);
    expect(await balanceOf(tenant)).toBe(95);
  });

  it('orders nothing that the person declines, and cannot ask again for the same offer', async () => {
    const tenant = await testTenant();
    const agent = await agentOf(tenant, { person: declines });
    const { offer_id } = await call(agent, 'quote', generator);
    expect(await refusal(agent, 'order', { offer_id })).toBe('OFFER_DECLINED');
    const another = await agentOf(tenant, { person: agrees });
    expect(await refusal(another, 'order', { offer_id })).toBe('OFFER_DECLINED');
    expect(await jobsOf(tenant)).toEqual([]);
    expect(await balanceOf(tenant)).toBe(100);
  });

  it('makes one job of one consent that two clients use at once, through two processes', async () => {
    for (let round = 0; round < 5; round++) {
      const tenant = await testTenant();
      const agents = await Promise.all(
        [one, other, one, other].map((api) => agentOf(tenant, { person: agrees, api })),
      );
      const { offer_id } = await call(agents[0]!, 'quote', generator);
      const orders = await Promise.all(agents.map((agent) => call(agent, 'order', { offer_id })));
      expect(new Set(orders.map(({ job_id }) => job_id))).toEqual(new Set(await jobsOf(tenant)));
      expect(await jobsOf(tenant)).toHaveLength(1);
      expect(await balanceOf(tenant)).toBe(95);
    }
  });

  it('is told when the price has changed, and nothing is ordered', async () => {
    const tenant = await testTenant();
    const agent = await agentOf(tenant, { person: agrees });
    const { offer_id } = await call(agent, 'quote', {
      workflow: 'background-generator',
      body: { scene_type: 'roof' },
    });
    const price = (credits: number) =>
      priceOperation(service.store, contextOf('test', 'installation'), 'background-generator', {
        credits,
        reason: 'specs',
      });
    await price(6);
    const refused = await answer(agent, 'order', { offer_id });
    expect(textOf(refused)).toMatch(
      /^PRICE_CHANGED: .* and is 6 now\. Nothing was ordered and nothing was charged/,
    );
    expect(await jobsOf(tenant)).toEqual([]);
    expect(await balanceOf(tenant)).toBe(100);
  });
});

describe('an agent whose client can ask nobody', () => {
  it('orders with the confirmation id of its quote, up to the caps of its run and of the day', async () => {
    const tenant = await service.openTenant({ environment: 'test', credits: 1_000 });
    const agent = await agentOf(tenant, { session: 'run-1' });
    const { offer_id, confirmation_id, consent } = await call(agent, 'quote', generator);
    expect(consent).toBe('confirmation');
    expect(await refusal(agent, 'order', { offer_id })).toBe('CONFIRMATION_REQUIRED');
    expect(await refusal(agent, 'order', { offer_id, confirmation_id: 'made up' })).toBe(
      'CONFIRMATION_REQUIRED',
    );
    const order = await call(agent, 'order', { offer_id, confirmation_id });
    expect(order).toMatchObject({ balance: 995, consent: 'confirmation' });
    expect(await call(agent, 'order', { offer_id, confirmation_id })).toMatchObject({ job_id: order.job_id });
    const spend = async (client: Client) => {
      const offer = await call(client, 'quote', generator);
      return answer(client, 'order', { offer_id: offer.offer_id, confirmation_id: offer.confirmation_id });
    };
    // 50 credits in a run.
    for (let orders = 1; orders < 10; orders++) expect((await spend(agent)).isError).toBeFalsy();
    expect(textOf(await spend(agent))).toContain(
      'SPEND_CAP_REACHED: Without a person, this run of the client may spend 50',
    );
    expect((await spend(await agentOf(tenant, { session: 'run-2' }))).isError).toBeFalsy();
    expect(await balanceOf(tenant)).toBe(945);
  });

  it('cannot pass the cap by racing', async () => {
    const tenant = await service.openTenant({ environment: 'test', credits: 1_000 });
    const agents = await Promise.all([one, other].map((api) => agentOf(tenant, { session: 'run', api })));
    const quoted = [];
    for (let index = 0; index < 14; index++) quoted.push(await call(agents[index % 2]!, 'quote', generator));
    const orders = await Promise.all(
      quoted.map(({ offer_id, confirmation_id }, index) =>
        answerAtLast(agents[index % 2]!, 'order', { offer_id, confirmation_id }),
      ),
    );
    expect(orders.filter(({ isError }) => !isError)).toHaveLength(10);
    expect(await balanceOf(tenant)).toBe(950);
  });

  it('works with a client of the protocol before 2026-07-28', async () => {
    const tenant = await testTenant();
    const agent = await agentOf(tenant, { legacy: true, person: agrees });
    const { offer_id, confirmation_id } = await call(agent, 'quote', generator);
    expect(await call(agent, 'order', { offer_id, confirmation_id })).toMatchObject({
      consent: 'confirmation',
    });
    expect(await balanceOf(tenant)).toBe(95);
  });
});

describe('an offer', () => {
  it('belongs to its key, and ends', async () => {
    const tenant = await testTenant();
    const agent = await agentOf(tenant, { person: agrees });
    const { offer_id } = await call(agent, 'quote', generator);
    const second = await service.issueKey(tenant, ['jobs:create', 'jobs:read']);
    expect(await refusal(await agentOf(second, { person: agrees }), 'order', { offer_id })).toBe(
      'OFFER_NOT_FOUND',
    );
    const brief = await service.openApi(undefined, {
      mcp: { offerMs: 1, sessionCredits: 50, dayCredits: 200 },
    });
    const late = await agentOf(tenant, { person: agrees, api: brief });
    const ended = await call(late, 'quote', generator);
    expect(await refusal(late, 'order', { offer_id: ended.offer_id })).toBe('OFFER_EXPIRED');
    expect(await jobsOf(tenant)).toEqual([]);
    expect(await balanceOf(tenant)).toBe(100);
  });

  it('is not made for a live key without mcp:spend, nor for an order that would be refused', async () => {
    const live = await service.openTenant();
    expect(await refusal(await agentOf(live), 'quote', generator)).toBe('CAPABILITY_REQUIRED');
    const spender = await service.issueKey(live, ['jobs:create', 'jobs:read', 'mcp:spend']);
    const agent = await agentOf(spender, { person: agrees });
    const { offer_id, environment } = await call(agent, 'quote', generator);
    expect(environment).toBe('live');
    expect(await call(agent, 'order', { offer_id })).toMatchObject({ balance: 95 });
    const reader = await agentOf(await service.issueKey(live, ['jobs:read', 'mcp:spend']));
    expect(await refusal(reader, 'quote', generator)).toBe('CAPABILITY_REQUIRED');
    const poor = await agentOf(await testTenant(4));
    expect(await refusal(poor, 'quote', generator)).toBe('INSUFFICIENT_BALANCE');
    const wrong = { workflow: 'model-generator', body: { gender: 'X' } };
    expect(await refusal(agent, 'quote', wrong)).toBe('VALIDATION_ERROR');
  });
});

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../test/api/support/api-client.js';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { agrees, call, clientWith, declines, refusal, type Person } from './support/agent-client.js';

const program = 'packages/mcp/dist/main.js';

let service: ApiService;
let api: ApiClient;
const clients: Client[] = [];

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service[Symbol.asyncDispose]();
});

async function start({ key }: Tenant, options: { person?: Person; legacy?: boolean } = {}): Promise<Client> {
  const client = clientWith(options);
  const env = { ATELIER_URL: api.url, ATELIER_KEY: key };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env }));
  clients.push(client);
  return client;
}

const testTenant = () => service.openTenant({ environment: 'test' });
const generator = { workflow: 'model-generator', body: { gender: 'FEMALE' } };

describe('the program for stdio', () => {
  it.each([{ legacy: false }, { legacy: true }])(
    'brings the question to the person and the answer back, for clients of both protocols: %o',
    async ({ legacy }) => {
      const tenant = await testTenant();
      const agent = await start(tenant, { legacy, person: agrees });
      const { offer_id, consent } = await call(agent, 'quote', generator);
      expect(consent).toBe('person');
      const { job_id } = await call(agent, 'order', { offer_id });
      expect(await call(agent, 'order', { offer_id })).toMatchObject({ job_id, replayed: true });
      const refuses = await start(tenant, { legacy, person: declines });
      const other = await call(refuses, 'quote', generator);
      expect(await refusal(refuses, 'order', other)).toBe('OFFER_DECLINED');
      expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(95);
    },
  );

  it('names its run, whose cap holds when there is nobody to ask', async () => {
    const tenant = await testTenant();
    const agent = await start(tenant);
    const spend = async () => {
      const { offer_id, confirmation_id } = await call(agent, 'quote', generator);
      return call(agent, 'order', { offer_id, confirmation_id });
    };
    for (let orders = 0; orders < 10; orders++) await spend();
    await expect(spend()).rejects.toThrow('SPEND_CAP_REACHED: Without a person, this run of the client');
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(50);
  });

  it('shows the same tools, resources and prompts as the service, and says what it needs', async () => {
    const agent = await start(await testTenant());
    const [{ tools }, { resources }, { prompts }] = await Promise.all([
      agent.listTools(),
      agent.listResources(),
      agent.listPrompts(),
    ]);
    expect(tools.map(({ name }) => name)).toContain('explain_charge');
    expect(resources.map(({ uri }) => uri)).toContain('atelier://guides/money');
    expect(prompts.map(({ name }) => name)).toContain('product_on_model');
    const { contents } = await agent.readResource({ uri: 'atelier://guides/money' });
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown' });
    await expect(agent.readResource({ uri: 'atelier://guides/none' })).rejects.toThrow(
      'There is no such guide',
    );
  });
});

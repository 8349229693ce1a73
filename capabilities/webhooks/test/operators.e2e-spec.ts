import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import type { ApiClient, Json } from '../../../test/api/support/api-client.js';
import { testMasterKey } from '../../../test/support/signing-key.js';
import { runCommand } from '../../../test/support/command.js';
import { eventually } from '../../../test/support/eventually.js';
import { signingKey, startDispatcher, startSender, webhookSettings } from './support/post-office.js';
import { Receiver } from '../../../test/support/receiver.js';

let service: ApiService;
let api: ApiClient;
let receiver: Receiver;
let tenant: Tenant;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  service = await ApiService.start({ projector: false });
  api = await service.openApi(undefined, webhookSettings);
  receiver = await Receiver.start();
  tenant = await service.openTenant({ environment: 'test' });
  running.push(await startDispatcher(service.databaseUrl), await startSender(service.databaseUrl));
});
afterAll(async () => {
  await Promise.all(running.map(({ stop }) => stop()));
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

function atelier(verb: string, ...args: string[]) {
  const whose = ['--tenant', tenant.id, '--env', 'test', '--json'];
  return runCommand(['webhooks', verb, ...args, ...whose], service.folder, {
    env: {
      DATABASE_URL: service.databaseUrl,
      URL_SIGNING_SECRET: 'x',
      ATELIER_SIGNING_KEY: signingKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      ATELIER_WEBHOOK_ALLOW_HTTP: 'true',
    },
  });
}

async function json(verb: string, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await atelier(verb, ...args);
  expect({ verb, code, stderr }).toEqual({ verb, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('atelier webhooks', () => {
  it('does what the API does, and both see it', async () => {
    const url = receiver.at('/operator');
    const created = await json('create', '--url', url, '--events', 'job.failed,job.succeeded');
    const id = created.webhook_id as string;
    expect((await api.get(`/v1/webhooks/${id}`, tenant.key)).body).toMatchObject({
      url,
      events: ['job.succeeded', 'job.failed'],
      enabled: true,
    });
    await json('update', id, '--description', 'the shop');
    expect((await api.get(`/v1/webhooks/${id}`, tenant.key)).body).toMatchObject({
      url,
      events: ['job.succeeded', 'job.failed'],
      description: 'the shop',
    });
    const { delivery_id: delivery } = await json('test', id);
    await eventually(() => receiver.to('/operator').length === 1);
    const sent = await eventually(async () => {
      const { deliveries } = await json('deliveries', id, '--status', 'delivered');
      return deliveries.length === 1 && deliveries[0];
    });
    expect(sent).toMatchObject({ deliveryId: delivery, made: [{ statusCode: 200 }] });
    await json('resend', id, '--delivery', delivery);
    await eventually(() => receiver.to('/operator').length === 2);

    const rotated = await json('rotate-secret', id, '--overlap', '1h');
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(created.secret);
    expect(await json('update', id, '--disable')).toMatchObject({ disabled_because: 'requested' });
    expect((await json('list')).webhooks).toMatchObject([{ webhook_id: id, disabled_because: 'requested' }]);
    await json('remove', id);
    expect((await json('list')).webhooks).toEqual([]);
  });

  it('says what is wrong in a line', async () => {
    const complaint = async (verb: string, ...args: string[]) => (await atelier(verb, ...args)).stderr.trim();
    expect(await complaint('create', '--url', 'https://10.0.0.1/', '--events', 'job.failed')).toMatch(
      /^atelier: the url must be an address on the internet/,
    );
    expect(await complaint('create', '--url', 'https://x.example/', '--events', 'job.lost')).toContain(
      'job.lost',
    );
    expect(await complaint('test', tenant.id)).toMatch(/no webhook/);
    expect(await complaint('resend', tenant.id)).toMatch(/--delivery/);
    const url = receiver.at('/resent');
    const { webhook_id: id } = await json('create', '--url', url, '--events', 'job.failed');
    expect(await complaint('resend', id as string, '--delivery', tenant.id)).toContain(
      `no delivery ${tenant.id}`,
    );
  });
});

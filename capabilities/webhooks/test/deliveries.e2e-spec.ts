import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '@atelier/client';
import { Webhook } from 'standardwebhooks';
import type { WebhookTopic } from '../webhook.events.js';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { finishJob, failJob, startJob } from '../../../test/api/support/finish-job.js';
import type { ApiClient, Json } from '../../../test/api/support/api-client.js';
import { uploadPicture } from '../../../test/api/support/made-pictures.js';
import { eventually } from '../../../test/support/eventually.js';
import { startDispatcher, startSender, webhookSettings } from './support/post-office.js';
import { accepts, Receiver, type Behaviour, type Received } from '../../../test/support/receiver.js';

let service: ApiService;
let api: ApiClient;
let receiver: Receiver;
const running: { stop(): Promise<void> }[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  service = await ApiService.start({ projector: false });
  api = await service.openApi(undefined, webhookSettings);
  receiver = await Receiver.start();
  running.push(await startDispatcher(service.databaseUrl));
  // Two of them: each delivery must be taken by one.
  running.push(await startSender(service.databaseUrl), await startSender(service.databaseUrl));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(running.map(({ stop }) => stop()));
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

interface Endpoint {
  readonly tenant: Tenant;
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

let endpoints = 0;

async function register(
  behaviour: Behaviour = accepts,
  events: readonly WebhookTopic[] = ['job.succeeded', 'job.failed'],
  of?: Tenant,
  more: object = {},
): Promise<Endpoint> {
  const tenant = of ?? (await service.openTenant({ environment: 'test' }));
  const path = `/hook-${++endpoints}`;
  const url = receiver.at(path, behaviour);
  const { status, body } = await api.post('/v1/webhooks', tenant.key, { url, events, ...more });
  expect(status).toBe(201);
  return { tenant, id: body.public_id, secret: body.secret, path };
}

async function dispatch(tenant: Tenant): Promise<string> {
  const { body } = await api.post('/v1/model-generator', tenant.key, { seed: 1 });
  return body.job_id;
}

async function finishedJob(tenant: Tenant): Promise<string> {
  const jobId = await dispatch(tenant);
  await startJob(service, tenant, jobId);
  await finishJob(service, tenant, jobId);
  return jobId;
}

/** The messages that have arrived, checked by their signature. */
function verified({ path, secret }: Endpoint): { type: string; data: Json; id: string }[] {
  const seen = receiver.to(path);
  return seen.map(({ body, headers }) => ({
    ...(new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string; data: Json }),
    id: String(headers['webhook-id']),
  }));
}

const arrived = (endpoint: Endpoint, count = 1): Promise<Received[]> =>
  eventually(() => receiver.to(endpoint.path).length >= count && receiver.to(endpoint.path));

async function deliveries({ tenant, id }: Endpoint, query = ''): Promise<Json[]> {
  return (await api.get(`/v1/webhooks/${id}/deliveries${query}`, tenant.key)).body.items;
}

const ended = (endpoint: Endpoint, status: string): Promise<Json> =>
  eventually(async () => {
    const [delivery] = await deliveries(endpoint);
    expect(delivery).toMatchObject({ status });
    return delivery;
  });

describe('a message', () => {
  it('tells of the end of a job in ids, status and a link, signed as Standard Webhooks has it', async () => {
    const endpoint = await register();
    const jobId = await finishedJob(endpoint.tenant);
    await arrived(endpoint);
    const [message] = verified(endpoint);
    expect(message).toMatchObject({
      type: 'job.succeeded',
      environment: 'test',
      data: {
        job_id: jobId,
        operation: 'model-generator',
        status: 'SUCCESS',
        error_code: null,
        parent_job_id: null,
      },
    });
    expect(message!.data.url).toMatch(new RegExp(`/v1/jobs/${jobId}$`));
    const delivery = await ended(endpoint, 'delivered');
    expect(delivery).toMatchObject({ public_id: message!.id, type: 'job.succeeded' });
    expect(delivery.attempts).toMatchObject([{ status_code: 200, answer: 'thanks', error: null }]);
  });

  it('goes to those who want it, and to no other tenant', async () => {
    const failures = await register(accepts, ['job.failed']);
    const stages = await register(accepts, ['job.stage'], failures.tenant);
    const strangers = await register(accepts, ['job.failed', 'job.stage', 'job.succeeded']);
    const jobId = await dispatch(failures.tenant);
    await startJob(service, failures.tenant, jobId);
    await failJob(service, failures.tenant, jobId);
    await arrived(failures);
    await arrived(stages);
    expect(verified(failures)).toMatchObject([
      { type: 'job.failed', data: { job_id: jobId, status: 'FAILURE', error_code: 'ENGINE_POLICY' } },
    ]);
    expect(verified(stages)).toMatchObject([
      { type: 'job.stage', data: { job_id: jobId, stage: 'croquis', seq: 3 } },
    ]);
    expect(receiver.to(strangers.path)).toEqual([]);
  });

  it('tells of a batch when its last photograph has ended', async () => {
    const endpoint = await register(accepts, ['batch.finished', 'job.succeeded']);
    const { tenant } = endpoint;
    const photos = await Promise.all([uploadPicture(api, tenant), uploadPicture(api, tenant)]);
    const { body } = await api.post('/v1/pdp-batch-extractions', tenant.key, {
      photos: photos.map(({ assetId }) => ({ pdp_image_public_id: assetId })),
    });
    const batch = body.job_id as string;
    const { children } = (await api.get(`/v1/jobs/${batch}`, tenant.key)).body;
    for (const { public_id: child } of children) {
      await startJob(service, tenant, child);
      await finishJob(service, tenant, child);
    }
    expect(children).toHaveLength(2);
    const told = () =>
      verified(endpoint).map(({ type, data }) => `${type} ${data.job_id} of ${data.parent_job_id}`);
    await eventually(() => {
      expect(new Set(told())).toEqual(
        new Set([
          ...children.map(({ public_id: child }: Json) => `job.succeeded ${child} of ${batch}`),
          `job.succeeded ${batch} of null`,
          `batch.finished ${batch} of null`,
        ]),
      );
      return true;
    });
    expect(told()).toHaveLength(4);
  });

  it('tells of low credits once, when the balance falls below the threshold', async () => {
    const endpoint = await register(accepts, ['credits.low'], undefined, { credits_low_below: 88 });
    const { tenant } = endpoint;
    for (let dispatched = 0; dispatched < 5; dispatched++) await dispatch(tenant);
    await arrived(endpoint);
    // This endpoint's message is later in the log, so no earlier message can still be on its way.
    const later = await register(accepts, ['job.succeeded'], tenant);
    await finishedJob(tenant);
    await arrived(later);
    expect(verified(endpoint)).toMatchObject([{ type: 'credits.low', data: { balance: 85, threshold: 88 } }]);
  });

  it('is sent as a test when that is asked for', async () => {
    const endpoint = await register();
    const { body } = await api.call('POST', `/v1/webhooks/${endpoint.id}/test`, { key: endpoint.tenant.key });
    await arrived(endpoint);
    expect(verified(endpoint)).toMatchObject([
      { type: 'webhook.test', id: body.delivery_id, data: { endpoint_id: endpoint.id } },
    ]);
  });
});

describe('docs/webhooks.md', () => {
  const page = readFileSync('docs/webhooks.md', 'utf8');
  const snippet = (language: string, having: string): string => {
    const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))];
    return blocks.map(([, code = '']) => code).find((code) => code.includes(having)) ?? '';
  };
  let endpoint: Endpoint;
  let message: Received;

  beforeAll(async () => {
    endpoint = await register();
    await finishedJob(endpoint.tenant);
    [message] = (await arrived(endpoint)) as [Received];
  });

  /**
   * Expects that a way to verify accepts the message as it came, and refuses it with another body, secret or
   * time.
   */
  async function judges(
    verify: (message: Received, secret: string) => Promise<boolean> | boolean,
  ): Promise<void> {
    expect(await verify(message, endpoint.secret)).toBe(true);
    expect(
      await verify({ ...message, body: message.body.replace('SUCCESS', 'FAILURE') }, endpoint.secret),
    ).toBe(false);
    expect(await verify(message, `whsec_${Buffer.alloc(32, 7).toString('base64')}`)).toBe(false);
    const late = { ...message.headers, 'webhook-timestamp': '1700000000' };
    expect(await verify({ ...message, headers: late }, endpoint.secret)).toBe(false);
  }

  it('verifies in TypeScript', async () => {
    await judges(async ({ body, headers }, secret) => {
      try {
        const { type, data } = await verifyWebhook(body, headers, secret);
        return type === 'job.succeeded' && data.status === 'SUCCESS';
      } catch (error) {
        expect(error).toBeInstanceOf(WebhookVerificationError);
        return false;
      }
    });
    // The code on the page must run unchanged.
    const folder = mkdtempSync(join(tmpdir(), 'atelier-snippet-'));
    const code = snippet('ts', 'verifyWebhook').replace(
      "'@atelier/client'",
      JSON.stringify(join(process.cwd(), 'clients/typescript/dist/index.js')),
    );
    const request = `const request = new Request('http://shop', ${JSON.stringify({
      method: 'POST',
      headers: message.headers,
      body: message.body,
    })});`;
    writeFileSync(
      join(folder, 'hook.mts'),
      `${code}\n${request}\nconsole.log((await POST(request)).status);\n`,
    );
    const env = { ...process.env, ATELIER_WEBHOOK_SECRET: endpoint.secret };
    const ran = spawnSync(join(process.cwd(), 'node_modules/.bin/node'), [join(folder, 'hook.mts')], { env });
    rmSync(folder, { recursive: true });
    expect(ran.stdout.toString()).toMatch(/^[0-9A-Z]{26}\n204\n$/);
  });

  it('verifies in Python', () =>
    judges(({ body, headers }, secret) => {
      const call =
        'import json, os, sys\nverify(sys.stdin.buffer.read(), json.loads(os.environ["H"]), os.environ["S"])';
      const code = `${snippet('python', 'def verify')}\n${call}`;
      const env = { ...process.env, H: JSON.stringify(headers), S: secret };
      return spawnSync('python3', ['-c', code], { input: body, env }).status === 0;
    }));

  it('verifies in a shell', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atelier-snippet-'));
    await judges(({ body, headers }, secret) => {
      writeFileSync(join(folder, 'body'), body);
      const env = {
        ...process.env,
        SECRET: secret,
        BODY_FILE: join(folder, 'body'),
        WEBHOOK_ID: String(headers['webhook-id']),
        WEBHOOK_TIMESTAMP: String(headers['webhook-timestamp']),
        WEBHOOK_SIGNATURE: String(headers['webhook-signature']),
      };
      return spawnSync('sh', ['-c', snippet('sh', 'openssl')], { env }).stdout.toString() === 'genuine\n';
    });
    rmSync(folder, { recursive: true });
  });

  it('shows a body as it comes', () => {
    const shown = JSON.parse(snippet('json', 'job.succeeded')) as { data: object };
    const sent = JSON.parse(message.body) as { data: object };
    expect(Object.keys(shown).sort()).toEqual(Object.keys(sent).sort());
    expect(Object.keys(shown.data).sort()).toEqual(Object.keys(sent.data).sort());
  });
});

describe('a receiver', () => {
  it('that fails is called again after a pause, with the same id', async () => {
    let calls = 0;
    const endpoint = await register((response) => {
      response.statusCode = ++calls === 1 ? 500 : 204;
      response.end(calls === 1 ? 'not today' : undefined);
    });
    await finishedJob(endpoint.tenant);
    await arrived(endpoint, 2);
    const [first, second] = receiver.to(endpoint.path);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(second!.at - first!.at).toBeGreaterThan(4_500);
    const delivery = await ended(endpoint, 'delivered');
    expect(delivery.attempts).toMatchObject([
      { status_code: 500, answer: 'not today' },
      { status_code: 204, answer: '' },
    ]);
  });

  it('that redirects, hangs or cuts has failed, is not followed, and holds nobody up', async () => {
    const target = receiver.at('/redirected');
    const redirecting = await register(
      (response) => void response.writeHead(302, { location: target }).end(),
    );
    const hanging = await register(() => undefined);
    const cutting = await register((_response, _received, request) => void request.socket.destroy());
    const dripping = await register((response) => {
      const drops = setInterval(() => response.write('x'.repeat(100)), 20);
      response.on('close', () => clearInterval(drops));
    });
    const quick = await register();
    for (const { tenant } of [hanging, hanging, hanging, hanging, redirecting, cutting, dripping])
      await finishedJob(tenant);
    await finishedJob(quick.tenant);
    await arrived(quick);
    const attempts = async (endpoint: Endpoint) =>
      eventually(async () => {
        const [delivery] = await deliveries(endpoint);
        return delivery?.attempts.length > 0 && delivery.attempts[0];
      });
    expect(await attempts(redirecting)).toMatchObject({ status_code: 302 });
    expect(await attempts(hanging)).toMatchObject({ status_code: null, error: 'no answer within 1000 ms' });
    expect(await attempts(cutting)).toMatchObject({ status_code: null, error: 'ECONNRESET' });
    // The endless rest of the answer is not waited for.
    const answer = (await attempts(dripping)).answer as string;
    expect(answer).toBe('x'.repeat(1_024));
    expect(receiver.to('/redirected')).toEqual([]);
  });

  it('that answers 410 is switched off, and the tenant’s other endpoint is told so', async () => {
    const other = await register(accepts, ['webhook.disabled']);
    const endpoint = await register(
      (response) => void response.writeHead(410).end(),
      undefined,
      other.tenant,
    );
    await finishedJob(endpoint.tenant);
    await ended(endpoint, 'failed');
    const { body } = await api.get(`/v1/webhooks/${endpoint.id}`, endpoint.tenant.key);
    expect(body).toMatchObject({ enabled: false, disabled_because: 'gone' });
    await arrived(other);
    expect(verified(other)).toMatchObject([
      { type: 'webhook.disabled', data: { endpoint_id: endpoint.id, reason: 'gone' } },
    ]);
    // A tenant that switches an endpoint off itself gets no message about that.
    await api.call('PATCH', `/v1/webhooks/${endpoint.id}`, {
      key: other.tenant.key,
      json: { enabled: true },
    });
    await api.call('PATCH', `/v1/webhooks/${endpoint.id}`, {
      key: other.tenant.key,
      json: { enabled: false },
    });
    await api.call('POST', `/v1/webhooks/${other.id}/test`, { key: other.tenant.key });
    await arrived(other, 2);
    expect(verified(other).map(({ type }) => type)).toEqual(['webhook.disabled', 'webhook.test']);
  });

  it('that is away when it is called gets its message when it is back', async () => {
    const endpoint = await register();
    const other = await Receiver.start();
    const url = other.at('/away');
    await api.call('PATCH', `/v1/webhooks/${endpoint.id}`, { key: endpoint.tenant.key, json: { url } });
    await other.close();
    await finishedJob(endpoint.tenant);
    await eventually(async () => (await deliveries(endpoint))[0]?.attempts[0]?.error === 'ECONNREFUSED');
    await other.open();
    await eventually(() => other.to('/away').length > 0);
    await other[Symbol.asyncDispose]();
  });
});

describe('a delivery', () => {
  it('is sent again by its id, by the time, and where it failed, with the same id', async () => {
    let works = false;
    const endpoint = await register((response) => void response.writeHead(works ? 200 : 410).end());
    const { tenant, id } = endpoint;
    await finishedJob(tenant);
    const failed = await ended(endpoint, 'failed');
    works = true;
    await api.call('PATCH', `/v1/webhooks/${id}`, { key: tenant.key, json: { enabled: true } });
    const resend = (json: object) => api.post(`/v1/webhooks/${id}/resend`, tenant.key, json);

    expect((await resend({ failed: true })).status).toBe(200);
    await ended(endpoint, 'delivered');
    await resend({ delivery_id: failed.public_id });
    await arrived(endpoint, 3);
    await resend({ since: new Date(Date.now() - 60_000).toISOString() });
    await arrived(endpoint, 4);
    const ids = new Set(receiver.to(endpoint.path).map(({ headers }) => headers['webhook-id']));
    expect(ids).toEqual(new Set([failed.public_id]));

    // No delivery has failed, and none was made at that time.
    await resend({ failed: true });
    await resend({ since: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' });
    // A delivery that does not exist and one of another endpoint are both unknown.
    const other = await register(accepts, ['job.failed'], tenant);
    for (const [endpointId, deliveryId] of [
      [id, tenant.id],
      [other.id, failed.public_id],
    ]) {
      const answer = await api.post(`/v1/webhooks/${endpointId}/resend`, tenant.key, {
        delivery_id: deliveryId,
      });
      expect([answer.status, answer.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
    const { delivery_id: last } = (await api.call('POST', `/v1/webhooks/${id}/test`, { key: tenant.key }))
      .body;
    await eventually(() => receiver.to(endpoint.path).some(({ headers }) => headers['webhook-id'] === last));
    expect(receiver.to(endpoint.path)).toHaveLength(5);
    for (const json of [
      {},
      { failed: false },
      { failed: true, since: '2026-01-01T00:00:00Z' },
      { until: '2026-01-01T00:00:00Z' },
    ])
      expect((await resend(json)).status).toBe(422);
  });

  it('is signed by two secrets while one replaces the other, and by one after', async () => {
    const endpoint = await register();
    const { tenant, id } = endpoint;
    const rotate = async (hours: number) =>
      (await api.post(`/v1/webhooks/${id}/rotate-secret`, tenant.key, { overlap_hours: hours })).body;
    const rotated = await rotate(1);
    expect(rotated.secret).not.toBe(endpoint.secret);
    await finishedJob(tenant);
    await arrived(endpoint);
    expect(verified(endpoint)).toHaveLength(1);
    expect(verified({ ...endpoint, secret: rotated.secret })).toHaveLength(1);
    const last = await rotate(0);
    await finishedJob(tenant);
    await arrived(endpoint, 2);
    receiver.received.splice(receiver.received.indexOf(receiver.to(endpoint.path)[0]!), 1);
    expect(verified({ ...endpoint, secret: last.secret })).toHaveLength(1);
    expect(() => verified({ ...endpoint, secret: rotated.secret })).toThrow('No matching signature');
  });

  it('is made although its sender is killed in the middle of it', async () => {
    await Promise.all(running.splice(1).map(({ stop }) => stop()));
    const start = async () => {
      const child = fork(join(process.cwd(), 'dist/capabilities/webhooks/test/support/sender-child.js'), [
        service.databaseUrl,
      ]);
      children.push(child);
      await once(child, 'message');
      return child;
    };
    const doomed = await start();
    let calls = 0;
    const endpoint = await register((response) => {
      // The call arrives but gets no answer: only the receiver knows of it.
      if (++calls === 1) doomed.kill('SIGKILL');
      else response.end();
    });
    const jobId = await finishedJob(endpoint.tenant);
    await once(doomed, 'exit');
    await start();
    await arrived(endpoint, 2);
    await ended(endpoint, 'delivered');
    expect(verified(endpoint).map(({ data }) => data.job_id)).toEqual([jobId, jobId]);
    // Nothing comes a third time.
    await sleep(3_000);
    expect(receiver.to(endpoint.path)).toHaveLength(2);
  });
});

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { ApiService, type Tenant } from '../../../test/api/support/api-service.js';
import { expectError, type ApiClient, type Json } from '../../../test/api/support/api-client.js';
import { makePictures, storageOf } from '../../../test/api/support/made-pictures.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import { configurationOn } from '../../../test/support/roles.js';
import { testKeys } from '../../../test/support/signing-key.js';
import { S3Peer } from '../../../test/support/s3-peer.js';
import { Pushes } from '../pushes.js';
import { PushSender } from '../push-sender.js';
import { TenantBuckets } from '../tenant-buckets.js';
import { bucketSettings, logger, startFinder, startPusher } from './support/pushing.js';

let service: ApiService;
let api: ApiClient;
let peer: S3Peer;
let pool: pg.Pool;
const running: { stop(): Promise<void> }[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  service = await ApiService.start({ projector: false });
  api = await service.openApi(undefined, bucketSettings);
  peer = await S3Peer.start();
  pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  running.push(await startFinder(service), await startPusher(service));
});
afterEach(() => {
  peer.intercept = undefined;
  peer.failures = 0;
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(running.map(({ stop }) => stop()));
  await pool?.end();
  await peer?.stop();
  await service?.[Symbol.asyncDispose]();
});

const newTenant = (environment: 'live' | 'test' = 'test') =>
  service.openTenant({ environment, capabilities: ['jobs:create', 'jobs:read', 'data:erase'] });

const settings = (more: object = {}) => ({
  endpoint: peer.options.endpoint,
  region: 'eu-central-1',
  bucket: 'shop',
  prefix: 'atelier/',
  access_key_id: 'AKIA1',
  secret_access_key: 'very/secret+key',
  force_path_style: true,
  ...more,
});
const connect = ({ key }: Tenant, more: object = {}) =>
  api.call('PUT', '/v1/bucket', { key, json: settings(more) });

async function connected(more: object = {}): Promise<Tenant> {
  const tenant = await newTenant();
  const { status, body } = await connect(tenant, more);
  expect([status, body]).toMatchObject([200, { bucket: 'shop' }]);
  return tenant;
}

const stateOf = async ({ key }: Tenant): Promise<Json> => (await api.get('/v1/bucket', key)).body.pushes;

const pushed = (tenant: Tenant, jobId: string): Promise<Json> =>
  eventually(async () => {
    const state = await stateOf(tenant);
    expect(state).toMatchObject({ waiting: 0, failed: 0, last_success: { job_id: jobId }, last_error: null });
    return state;
  });

const objectsOf = (jobId: string) => [...peer.objects.keys()].filter((path) => path.includes(jobId)).sort();
const portrait = { kind: 'model_portrait' } as const;
const keysOf = (jobId: string, artifacts: readonly JobArtifact[]) =>
  [...artifacts.map(({ assetId }) => `${assetId}.png`), 'job.json']
    .map((file) => `/shop/atelier/${jobId}/${file}`)
    .sort();

function refuse(status: number, code: string, message: string) {
  return (_request: unknown, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    return true;
  };
}

describe('the settings of a bucket', () => {
  it('are shown without the secret, which is nowhere in the database', async () => {
    const tenant = await newTenant();
    expectError(await api.get('/v1/bucket', tenant.key), 404, 'RESOURCE_NOT_FOUND');
    const { status, body } = await connect(tenant);
    expect(status).toBe(200);
    const { secret_access_key: secret, ...shown } = settings();
    expect(body).toMatchObject({
      ...shown,
      pushes: { waiting: 0, failed: 0, last_success: null, last_error: null },
    });
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(JSON.stringify((await api.get('/v1/bucket', tenant.key)).body)).not.toContain(secret);
    const { rows } = await pool.query(
      `select 1 from event_store.events where data::text || metadata::text like '%very/secret%'`,
    );
    expect(rows).toEqual([]);
    const event = (await service.store.readStream(`test.bucket-${tenant.id}`, { limit: 1 })) as Json;
    expect(JSON.stringify(event.events[0].data)).not.toContain(secret);
    const stranger = await newTenant();
    expectError(await api.get('/v1/bucket', stranger.key), 404, 'RESOURCE_NOT_FOUND');
    expectError(await api.call('DELETE', '/v1/bucket', { key: stranger.key }), 404, 'RESOURCE_NOT_FOUND');
    expectError(await api.call('POST', '/v1/bucket/test', { key: stranger.key }), 404, 'RESOURCE_NOT_FOUND');
  });

  it.each([
    ['live', { endpoint: 'https://10.1.2.3' }],
    ['live', { endpoint: 'https://[::1]' }],
    ['live', { endpoint: 'https://169.254.169.254' }],
    ['live', { endpoint: 'http://s3.example' }],
    ['live', { endpoint: 'https://user:pass@s3.example' }],
    ['live', { endpoint: 'https://s3.example/shop' }],
    ['test', { endpoint: 'http://192.168.0.1' }],
    ['test', { bucket: '../other' }],
    ['test', { bucket: 'shop--x-s3' }],
    ['test', { bucket: 'arn:aws:s3:us-east-1:1:accesspoint' }],
    ['test', { prefix: '/a' }],
    ['test', { prefix: 'a/../b/' }],
    ['test', { prefix: 'a//b' }],
    ['test', { prefix: 'a?b' }],
    ['test', { access_key_id: 'a\r\nhost: x' }],
    ['test', { secret_access_key: '' }],
  ] as const)('of %s jobs are refused with %o', async (environment, more) => {
    const tenant = await newTenant(environment);
    const { status, body } = await connect(tenant, more);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
    expect(JSON.stringify(body)).not.toContain('very/secret');
    expect(body.detail[0].loc).toEqual(['body', Object.keys(more)[0]]);
  });

  it('are tried with an object that is removed again, and the answer says what the bucket said', async () => {
    const tenant = await connected();
    const test = async () => (await api.call('POST', '/v1/bucket/test', { key: tenant.key })).body;
    const before = peer.seen.length;
    expect(await test()).toEqual({ works: true, status_code: null, error: null });
    expect(peer.seen.slice(before).map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
    expect(peer.seen[before]!.path).toMatch(/^\/shop\/atelier\/atelier-test-\w{26}\.txt$/);
    expect(peer.seen[before]!.authorization).toContain('Credential=AKIA1/');
    peer.intercept = refuse(403, 'SignatureDoesNotMatch', 'Check your key');
    expect(await test()).toEqual({
      works: false,
      status_code: 403,
      error: '403 SignatureDoesNotMatch: Check your key',
    });
    // It is not followed.
    peer.intercept = (_request, response) => {
      response.writeHead(307, { location: `${peer.options.endpoint}/elsewhere` }).end();
      return true;
    };
    expect(await test()).toEqual({ works: false, status_code: 307, error: '307' });
    peer.intercept = (_request, response) => {
      response.writeHead(500);
      const drops = setInterval(() => response.write('x'.repeat(10_000)), 5);
      response.on('close', () => clearInterval(drops));
      return true;
    };
    expect(await test()).toMatchObject({ works: false, status_code: 500 });
  });
});

describe('the pictures of a job', () => {
  it('are in the bucket when it has ended, and its description after them', async () => {
    const tenant = await connected();
    const intermediate = { kind: 'model_portrait', role: 'intermediate' } as const;
    const { jobId, artifacts } = await makePictures(api, service, tenant, portrait, intermediate, portrait);
    await pushed(tenant, jobId);
    const finals = artifacts.filter(({ role }) => role === 'final');
    expect(objectsOf(jobId)).toEqual(keysOf(jobId, finals));
    expect(peer.seen.filter(({ path }) => path.includes(jobId)).at(-1)?.path).toContain('job.json');
    for (const { assetId, storageKey } of finals)
      expect(peer.objects.get(`/shop/atelier/${jobId}/${assetId}.png`)).toEqual({
        bytes: await storageOf(service).get(storageKey),
        type: 'image/png',
      });
    const described = peer.objects.get(`/shop/atelier/${jobId}/job.json`)!;
    expect(described.type).toBe('application/json');
    expect(JSON.parse(described.bytes.toString())).toEqual({
      job_id: jobId,
      environment: 'test',
      operation: 'model-generator',
      finished_at: expect.any(String),
      pictures: finals.map(({ assetId, sha256 }) => ({
        asset_id: assetId,
        file: `${assetId}.png`,
        content_type: 'image/png',
        width: 12,
        height: 16,
        kind: 'model_portrait',
        sha256,
      })),
    });
  });

  it('go to the bucket of their tenant alone, and only if they were made while it was connected', async () => {
    const [one, none] = [await connected({ prefix: '' }), await newTenant()];
    const { jobId: other } = await makePictures(api, service, none, portrait);
    const { jobId, artifacts } = await makePictures(api, service, one, portrait);
    await pushed(one, jobId);
    expect(objectsOf(jobId)).toEqual(keysOf(jobId, artifacts).map((key) => key.replace('atelier/', '')));
    expect(objectsOf(other)).toEqual([]);
  });

  it('are pushed again after 503, under the same keys', async () => {
    const tenant = await connected();
    peer.failures = 1;
    const { jobId, artifacts } = await makePictures(api, service, tenant, portrait);
    await eventually(async () => {
      expect(await stateOf(tenant)).toMatchObject({
        waiting: 1,
        last_error: { job_id: jobId, error: '503' },
      });
      return true;
    });
    await pushed(tenant, jobId);
    expect(objectsOf(jobId)).toEqual(keysOf(jobId, artifacts));
  });

  it('are pushed again after a bucket that does not answer, while others are not held up', async () => {
    const [slow, quick] = [await connected({ access_key_id: 'SLOW' }), await connected()];
    const hanging = new Set<string>();
    peer.intercept = ({ headers, url = '' }) => {
      const hangs = headers.authorization!.includes('SLOW') && hanging.size < 3;
      if (hangs) hanging.add(url);
      return hangs;
    };
    const slowJobs = [];
    for (let made = 0; made < 3; made++)
      slowJobs.push((await makePictures(api, service, slow, portrait)).jobId);
    const { jobId } = await makePictures(api, service, quick, portrait);
    await pushed(quick, jobId);
    await eventually(async () => {
      expect((await stateOf(slow)).last_error).toMatchObject({ error: 'no answer within 2000 ms' });
      return true;
    });
    await eventually(async () => (await stateOf(slow)).waiting === 0);
    for (const each of slowJobs) expect(objectsOf(each)).toHaveLength(2);
  });

  it('wait for a new secret after 403, which is shown', async () => {
    const tenant = await connected({ secret_access_key: 'wrong' });
    peer.intercept = refuse(403, 'SignatureDoesNotMatch', 'x'.repeat(1_000_000));
    const { jobId, artifacts } = await makePictures(api, service, tenant, portrait);
    const { last_error: error } = await eventually(async () => {
      const state = await stateOf(tenant);
      expect(state).toMatchObject({ waiting: 0, failed: 1, last_error: { job_id: jobId } });
      return state;
    });
    expect(error.error).toBe(`403 SignatureDoesNotMatch: ${'x'.repeat(200)}`);
    expect(objectsOf(jobId)).toEqual([]);
    peer.intercept = undefined;
    await connect(tenant);
    await pushed(tenant, jobId);
    expect(objectsOf(jobId)).toEqual(keysOf(jobId, artifacts));
  });

  it('are pushed although the pusher is killed in the middle, under the same keys', async () => {
    await running.pop()!.stop();
    const start = async () => {
      const path = 'dist/capabilities/buckets/test/support/pusher-child.js';
      const child = fork(join(process.cwd(), path), [service.databaseUrl, service.folder]);
      children.push(child);
      await once(child, 'message');
      return child;
    };
    const doomed = await start();
    const tenant = await connected();
    const puts: string[] = [];
    peer.intercept = ({ url = '' }) => {
      puts.push(new URL(url, 'http://x').pathname);
      // The second picture arrives, and nobody learns of it.
      if (puts.length === 2) doomed.kill('SIGKILL');
      return false;
    };
    const { jobId, artifacts } = await makePictures(api, service, tenant, portrait, portrait);
    await once(doomed, 'exit');
    await start();
    await pushed(tenant, jobId);
    const [first, second] = artifacts.map(({ assetId }) => `/shop/atelier/${jobId}/${assetId}.png`);
    expect(puts).toEqual([first, second, first, second, `/shop/atelier/${jobId}/job.json`]);
    expect(objectsOf(jobId)).toEqual(keysOf(jobId, artifacts));
  });

  it('are pushed although the queue has lost the task', async () => {
    const tenant = await connected();
    const { jobId, artifacts } = await makePictures(api, service, tenant, portrait);
    await pushed(tenant, jobId);
    for (const path of objectsOf(jobId)) peer.objects.delete(path);
    await pool.query(
      `update test.bucket_pushes set status = 'waiting', round = round + 1, queued_at = now() - interval '1 hour'
         where job_id = $1`,
      [jobId],
    );
    await eventually(() => {
      expect(objectsOf(jobId)).toEqual(keysOf(jobId, artifacts));
      return true;
    });
  });

  it('are not pushed any more when the bucket is disconnected', async () => {
    const tenant = await connected();
    peer.intercept = refuse(503, 'SlowDown', 'later');
    const { jobId } = await makePictures(api, service, tenant, portrait);
    await eventually(async () => (await stateOf(tenant)).last_error !== null);
    peer.intercept = undefined;
    expect((await api.call('DELETE', '/v1/bucket', { key: tenant.key })).status).toBe(204);
    expectError(await api.get('/v1/bucket', tenant.key), 404, 'RESOURCE_NOT_FOUND');
    const rowsOf = async () =>
      (await pool.query('select 1 from test.bucket_pushes where tenant = $1', [tenant.id])).rows.length;
    await eventually(async () => (await rowsOf()) === 0);
    const { jobId: later } = await makePictures(api, service, tenant, portrait);
    // A job that is later in the log is pushed, so the others were looked at.
    const other = await connected();
    const { jobId: last } = await makePictures(api, service, other, portrait);
    await pushed(other, last);
    expect([objectsOf(jobId), objectsOf(later), await rowsOf()]).toEqual([[], [], 0]);
  });

  it('of a tenant whose keys were destroyed, as a closing does, are not pushed: its secret is gone', async () => {
    const tenant = await connected();
    const { databaseUrl } = service;
    const { erasure, close } = await openEventStore(
      { eventStoreUrl: databaseUrl, databaseUrl },
      { ...testKeys },
    );
    await erasure.eraseTenant({ environment: 'test', tenant: tenant.id });
    await close();
    const { jobId } = await makePictures(api, service, tenant, portrait);
    await eventually(async () => {
      expect((await stateOf(tenant)).last_error).toMatchObject({
        job_id: jobId,
        error: 'its secret key cannot be read any more: connect the bucket again',
      });
      return true;
    });
    expect(objectsOf(jobId)).toEqual([]);
  });
});

describe('a row that somebody altered in the database', () => {
  it('brings no picture into a bucket that is not of its tenant, nor bytes that the job has not made', async () => {
    const sender = new PushSender(
      service.store,
      new Pushes(pool),
      new TenantBuckets(configurationOn(service.databaseUrl, bucketSettings)),
      storageOf(service),
      systemClock,
      logger,
    );
    const [victim, thief] = [await newTenant(), await connected()];
    const { jobId, artifacts } = await makePictures(api, service, victim, portrait);
    const push = async (tenant: Tenant) => {
      const { rows } = await pool.query(
        `insert into test.bucket_pushes as known (job_id, tenant) values ($1, $2) on conflict (job_id) do update
           set tenant = $2, status = 'waiting', round = known.round + 1, next_attempt_at = null returning round`,
        [jobId, tenant.id],
      );
      const { round } = rows[0] as { round: number };
      await sender.send(
        { environment: 'test', tenant: tenant.id, jobId, round },
        new AbortController().signal,
      );
      return (await stateOf(tenant)).last_error?.error as string | undefined;
    };
    expect(await push(thief)).toBe('the log has no such job of this tenant that succeeded');
    expect(objectsOf(jobId)).toEqual([]);

    // The tenant itself may be pushed its own job, but not with other bytes.
    await connect(victim);
    const { storageKey } = artifacts[0]!;
    const bytes = await storageOf(service).get(storageKey);
    await storageOf(service).put(storageKey, Buffer.from('altered'));
    expect(await push(victim)).toContain('does not have the bytes of picture');
    expect(objectsOf(jobId)).toEqual([]);
    await storageOf(service).put(storageKey, bytes);
    expect(await push(victim)).toBeUndefined();
    expect(objectsOf(jobId)).toHaveLength(2);
  });
});

describe('an erasure', () => {
  const erased = async (tenant: Tenant, path: string) => {
    const { status, body } = await api.call('DELETE', path, { key: tenant.key });
    expect(status).toBe(202);
    await eventually(async () => {
      const { body: erasure } = await api.get(`/v1/erasures/${body.erasure_id}`, tenant.key);
      return erasure.status === 'completed';
    });
  };

  it('deletes the copies in the bucket as well', async () => {
    const tenant = await connected();
    const { jobId } = await makePictures(api, service, tenant, portrait, portrait);
    const { jobId: other } = await makePictures(api, service, tenant, portrait);
    await eventually(() => objectsOf(jobId).length === 3 && objectsOf(other).length === 2);
    // The bucket is away at first.
    peer.failures = 1;
    await erased(tenant, `/v1/jobs/${jobId}`);
    await eventually(() => objectsOf(jobId).length === 0);
    expect(objectsOf(other)).toHaveLength(2);
  });

  it('of one picture leaves the others, and a description without it', async () => {
    const tenant = await connected();
    const { jobId, artifacts } = await makePictures(api, service, tenant, portrait, portrait);
    await pushed(tenant, jobId);
    const [, second] = artifacts;
    await erased(tenant, `/v1/renders/${jobId}`);
    await eventually(() => {
      expect(objectsOf(jobId)).toEqual(keysOf(jobId, [second!]));
      return true;
    });
    await eventually(() => {
      const described = peer.objects.get(`/shop/atelier/${jobId}/job.json`)!.bytes.toString();
      expect(JSON.parse(described).pictures).toMatchObject([{ asset_id: second!.assetId }]);
      return true;
    });
    await expectAuditToHold(service);
  });
});

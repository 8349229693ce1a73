import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import sharp from 'sharp';
import { readModels } from '#projections/read-models.js';
import { run } from '../standalone/support/atelier.js';
import { eventually as eventuallyWithin } from '../standalone/support/processes.js';
import { startRole, type RoleProcess } from '../support/role-process.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { Peer } from './peer/peer.js';

jest.setTimeout(120_000);

const eventually = <T>(look: () => Promise<T>) => eventuallyWithin(look, 60_000);

interface Entry {
  status: string;
  credits_delta: number;
}

/**
 * The service as production runs it, its roles in processes of their own, with its events in EventStoreDB: on the peer,
 * or on the real node that `EVENTSTOREDB_URL` names. Tenants are new in each run, so nothing has to be cleared away.
 */
describe('the whole service on EventStoreDB', () => {
  const given = process.env['EVENTSTOREDB_URL'];
  const peer = new Peer();
  let database: TestDatabase;
  let home: string;
  let settings: Record<string, string>;
  let roles: Record<'api' | 'worker' | 'projector', RoleProcess>;
  let key: string;
  let garment: string;
  let blank: string;

  beforeAll(async () => {
    if (!given) await peer.start();
    database = await createTestDatabase();
    home = await mkdtemp(join(tmpdir(), 'atelier-esdb-'));
    settings = {
      DATABASE_URL: database.url,
      EVENT_STORE_URL: given ?? peer.url,
      ATELIER_HOME: home,
      URL_SIGNING_SECRET: 'a secret of this test only',
      ATELIER_ORPHAN_HORIZON_MS: '2000',
      ATELIER_SWEEP_INTERVAL_MS: '300',
      HOST: '127.0.0.1',
      PORT: '0',
    };
    await cli('migrate');
    await startRoles();
    const tenant = await cli('tenants', 'create', '--name', 'Journey', '--credits', '1000');
    const issued = await cli(
      ...['keys', 'issue', '--tenant', String(tenant['tenant_id']), '--env', 'test'],
      ...['--capabilities', 'jobs:create,jobs:read'],
    );
    key = String(issued['key']);
    garment = await upload(await sharp('assets/samples/jumper.jpg').resize(600).jpeg().toBuffer());
    blank = await upload(
      await sharp({ create: { width: 200, height: 200, channels: 3, background: '#eee' } })
        .png()
        .toBuffer(),
    );
  });

  afterAll(async () => {
    for (const role of Object.values(roles ?? {})) await role.stop();
    peer.stop();
    await database.drop();
    await rm(home, { recursive: true, force: true });
  });

  it('dispatches, renders and settles', async () => {
    const jobId = await dispatch('product-to-model-direct', { product_image_s3_key: garment, seed: 7 });
    // Read your writes, on this store as on the other.
    expect(await get(`/v1/jobs/${jobId}`)).toMatchObject({ public_id: jobId });
    expect(await get('/v1/credits')).toMatchObject({ balance: 990 });
    expect(await ended(jobId)).toBe('SUCCESS');
    const { image_url: url } = await get<{ image_url: string }>(`/v1/renders/${jobId}`);
    const picture = await sharp(Buffer.from(await (await fetch(reachable(url))).arrayBuffer())).metadata();
    expect([picture.width, picture.height]).toEqual([819, 1024]);
    await eventually(async () => expect(await ledger()).toMatchObject([{ status: 'SUCCESS' }, {}]));
  });

  it('refunds a job that fails', async () => {
    const jobId = await dispatch('product-to-model-direct', { product_image_s3_key: blank });
    expect(await ended(jobId)).toBe('FAILURE');
    await eventually(async () => {
      expect((await ledger())[0]).toMatchObject({ status: 'REFUNDED', credits_delta: 0 });
      expect(await get('/v1/credits')).toMatchObject({ balance: 990 });
    });
  });

  it('goes on after every role was killed in the middle of forty dispatches', async () => {
    const answered: string[] = [];
    const load = Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        await sleep(number * 20);
        const jobId = await dispatch(
          'product-to-model-direct',
          { product_image_s3_key: blank },
          `kill-${number}`,
        );
        answered.push(jobId);
      }),
    );
    await sleep(400);
    for (const role of Object.values(roles)) await role.stop('SIGKILL');
    await startRoles();
    await load;
    for (const jobId of answered) expect(await ended(jobId)).toBe('FAILURE');
    await eventually(async () => {
      const entries = await ledger();
      expect(entries.filter(({ status }) => status === 'PENDING')).toEqual([]);
      expect(await get('/v1/credits')).toMatchObject({ balance: 990 });
    });
    expect(new Set(answered).size).toBe(40);
  });

  it('goes on when the store breaks off answers, is silent for a while, and restarts', async () => {
    // Faults are the peer's to make.
    if (given) return;
    peer.faults.dropAfterCommit = 6;
    const jobs = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        dispatch('product-to-model-direct', { product_image_s3_key: blank }, `fault-${number}`),
      ),
    );
    await peer.restart();
    for (const jobId of jobs) expect(await ended(jobId)).toBe('FAILURE');
    await eventually(async () => expect(await get('/v1/credits')).toMatchObject({ balance: 990 }));
    expect(new Set(jobs).size).toBe(10);
  });

  it('gives every read model again, row for row, when they are dropped and rebuilt from the store', async () => {
    await roles.projector.stop();
    const before = await readModelRows();
    await withDatabase(async (client) => {
      for (const { name } of readModels) await client.query(`truncate test.${name}_g1, live.${name}_g1`);
      await client.query('delete from read_store.stream_revisions');
      await client.query('update read_store.projections set position = null');
    });
    roles.projector = await startRole('apps/projector/src/main.js', settings);
    await eventually(async () => expect(await readModelRows()).toEqual(before));
    // Replaying history renders, charges and refunds nothing.
    expect(await get('/v1/credits')).toMatchObject({ balance: 990 });
  });

  async function cli(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr, code } = await run('cli/src/main.js', [...args, '--json'], home, {
      env: settings,
    });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout || '{}') as Record<string, unknown>;
  }

  async function startRoles(): Promise<void> {
    const port = roles ? String(roles.api.ready['port']) : '0';
    const [projector, worker, api] = await Promise.all([
      startRole('apps/projector/src/main.js', settings),
      startRole('apps/worker/src/main.js', settings),
      startRole('apps/api/src/main.js', { ...settings, PORT: port }),
    ]);
    roles = { projector, worker, api };
  }

  function base(): string {
    return `http://127.0.0.1:${String(roles.api.ready['port'])}`;
  }

  /** URLs are signed for PUBLIC_URL; here the port is only known afterwards. */
  function reachable(url: string): string {
    const { pathname, search } = new URL(url);
    return base() + pathname + search;
  }

  async function get<Body = Record<string, unknown>>(path: string): Promise<Body> {
    const response = await fetch(base() + path, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as Body;
  }

  async function dispatch(workflow: string, body: object, idempotencyKey?: string): Promise<string> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(200)) {
      const response = await fetch(`${base()}/v1/${workflow}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        },
        body: JSON.stringify(body),
      }).catch(() => undefined);
      if (response?.status === 202) return ((await response.json()) as { job_id: string }).job_id;
      if (response) expect([409, 503]).toContain(response.status);
    }
    throw new Error('never answered');
  }

  async function ended(jobId: string): Promise<string> {
    return eventually(async () => {
      const { status } = await get<{ status: string }>(`/v1/jobs/${jobId}`);
      expect(['SUCCESS', 'FAILURE']).toContain(status);
      return status;
    });
  }

  /** Newest first; this test never fills more than one page. */
  async function ledger(): Promise<Entry[]> {
    return (await get<{ items: Entry[] }>('/v1/transactions?limit=200')).items;
  }

  async function upload(bytes: Buffer): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)]), 'picture');
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${base()}/v1/uploads`, { method: 'POST', headers, body: form });
    return ((await response.json()) as { upload_key: string }).upload_key;
  }

  async function readModelRows(): Promise<Record<string, unknown>> {
    return withDatabase(async (client) => {
      const rows: Record<string, unknown> = {};
      for (const { name } of readModels) {
        const content = `select coalesce(json_agg(row_to_json(r) order by r::text), '[]') as all from test.${name} r`;
        rows[name] = (await client.query<{ all: unknown }>(content)).rows[0]?.all;
      }
      return rows;
    });
  }

  async function withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
});

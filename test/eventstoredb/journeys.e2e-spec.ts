import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import sharp from 'sharp';
import { readModels } from '#projections/read-models.js';
import { blankPicture } from '../support/blank-picture.js';
import { runCommand } from '../support/command.js';
import { eventually as eventuallyWithin } from '../support/eventually.js';
import { startRole, type RoleProcess } from '../support/role-process.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { Peer } from './peer/peer.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/**
 * How long a caller repeats a request, and how long a check is repeated. It takes minutes because workers yield
 * to all other processes of the machine. With a dozen busy processes on two processors a picture takes more
 * than 100 s.
 */
const patienceMs = 400_000;
const eventually = <T>(look: () => Promise<T>) => eventuallyWithin(look, patienceMs);

interface Entry {
  status: string;
  credits_delta: number;
}

/**
 * The service as in production, each role in a process of its own. Its events are in EventStoreDB: on the peer,
 * or on the real node that `EVENTSTOREDB_URL` names. Each test has a tenant of its own, so nothing needs to be
 * deleted.
 */
describe('the whole service on EventStoreDB', () => {
  const given = process.env['EVENTSTOREDB_URL'];
  const peer = new Peer();
  const customers: Customer[] = [];
  let database: TestDatabase;
  let home: string;
  let settings: Record<string, string>;
  let roles: Record<'api' | 'worker' | 'projector', RoleProcess>;

  beforeAll(async () => {
    if (!given) await peer.start();
    database = await createTestDatabase();
    home = await mkdtemp(join(tmpdir(), 'atelier-esdb-'));
    settings = {
      DATABASE_URL: database.url,
      EVENT_STORE_URL: given ?? peer.url,
      ATELIER_HOME: home,
      URL_SIGNING_SECRET: 'a secret of this test only',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_UNSIGNED_PICTURES: 'accept',
      ATELIER_ORPHAN_HORIZON_MS: '2000',
      ATELIER_SWEEP_INTERVAL_MS: '300',
      HOST: '127.0.0.1',
      PORT: '0',
    };
    await cli('migrate');
    await startRoles();
  });

  afterAll(async () => {
    for (const role of Object.values(roles ?? {})) await role.stop();
    peer.stop();
    await database.drop();
    await rm(home, { recursive: true, force: true });
  });

  it('dispatches, renders and settles', async () => {
    const customer = await newCustomer();
    const garment = await customer.upload(
      await sharp('assets/samples/jumper.jpg').resize(600).jpeg().toBuffer(),
    );
    const jobId = await customer.dispatch({ product_image_s3_key: garment, seed: 7 });
    // Read your writes, on this store as on the other.
    expect(await customer.get(`/v1/jobs/${jobId}`)).toMatchObject({ public_id: jobId });
    expect(await customer.balance()).toBe(990);
    expect(await customer.ended(jobId)).toBe('SUCCESS');
    const { image_url: url } = await customer.get<{ image_url: string }>(`/v1/renders/${jobId}`);
    const picture = await sharp(Buffer.from(await (await fetch(reachable(url))).arrayBuffer())).metadata();
    expect([picture.width, picture.height]).toEqual([819, 1024]);
    await eventually(async () => expect(await customer.ledger()).toMatchObject([{ status: 'SUCCESS' }, {}]));
  });

  it('goes on after every role was killed in the middle of forty dispatches', async () => {
    const customer = await newCustomer();
    const picture = await customer.emptyPicture();
    const answered: string[] = [];
    const firstAnswers = Promise.withResolvers<void>();
    const load = Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        await sleep(number * 20);
        answered.push(await customer.dispatch(picture, `kill-${number}`));
        if (answered.length === 10) firstAnswers.resolve();
      }),
    );
    await Promise.race([firstAnswers.promise, load]);
    await Promise.all(Object.values(roles).map((role) => role.stop('SIGKILL')));
    await startRoles();
    await load;
    for (const jobId of answered) expect(await customer.ended(jobId)).toBe('FAILURE');
    await eventually(async () => {
      const entries = await customer.ledger();
      expect(entries.filter(({ status }) => status === 'PENDING')).toEqual([]);
      expect(await customer.balance()).toBe(1000);
    });
    expect(new Set(answered).size).toBe(40);
  });

  // Only the peer can make faults.
  (given ? it.skip : it)('goes on when the store breaks off answers, is silent, and restarts', async () => {
    const customer = await newCustomer();
    const picture = await customer.emptyPicture();
    peer.faults.dropAfterCommit = 6;
    const jobs = await Promise.all(
      Array.from({ length: 10 }, (_, number) => customer.dispatch(picture, `fault-${number}`)),
    );
    await peer.restart();
    for (const jobId of jobs) expect(await customer.ended(jobId)).toBe('FAILURE');
    await eventually(async () => expect(await customer.balance()).toBe(1000));
    expect(new Set(jobs).size).toBe(10);
  });

  (given ? it.skip : it)(
    'refuses what the node does not take in one append, and nothing stays charged',
    async () => {
      const customer = await newCustomer();
      const picture = await customer.emptyPicture();
      peer.faults.maxAppendBytes = 3_000;
      try {
        const metadata = { note: 'x'.repeat(3_000) };
        const { status, body } = await customer.ask('/v1/product-to-model-direct', { ...picture, metadata });
        expect({ status, body }).toMatchObject({
          status: 422,
          body: { error: { code: 'VALIDATION_ERROR' }, detail: [{ loc: ['body'], type: 'too_large' }] },
        });
        expect(await customer.balance()).toBe(1000);
        // A dispatch that the node accepts still works.
        expect(await customer.ended(await customer.dispatch(picture))).toBe('FAILURE');
      } finally {
        peer.faults.maxAppendBytes = 1024 * 1024;
      }
    },
  );

  (given ? it.skip : it)('answers reads from the read models while the store is away', async () => {
    const customer = await newCustomer();
    const picture = await customer.emptyPicture();
    const jobId = await customer.dispatch(picture);
    expect(await customer.ended(jobId)).toBe('FAILURE');
    await eventually(async () => expect((await customer.ledger())[0]).toMatchObject({ status: 'REFUNDED' }));
    peer.stop();
    try {
      await eventually(async () => {
        const { status, tookMs } = await customer.ask('/v1/product-to-model-direct', picture);
        expect({ status, isPrompt: tookMs < 1_000 }).toEqual({ status: 503, isPrompt: true });
      });
      for (const path of ['/v1/credits', '/v1/transactions', '/v1/usage', '/v1/jobs', `/v1/jobs/${jobId}`]) {
        const { status, tookMs, headers, body } = await customer.ask(path);
        expect({ path, status, consistency: headers.get('x-consistency') }).toEqual({
          path,
          status: 200,
          consistency: 'stale',
        });
        expect(tookMs).toBeLessThan(2_000);
        if (path === '/v1/credits') expect(body).toMatchObject({ balance: 1000 });
      }
    } finally {
      await peer.start();
    }
    expect(await customer.ended(await customer.dispatch(picture))).toBe('FAILURE');
  });

  it('gives every read model again, row for row, when they are dropped and rebuilt from the store', async () => {
    const customer = await newCustomer();
    const jobId = await customer.dispatch(await customer.emptyPicture());
    expect(await customer.ended(jobId)).toBe('FAILURE');
    await eventually(async () => expect(await customer.balance()).toBe(1000));
    const balances = () => Promise.all(customers.map((each) => each.balance()));
    const balancesBefore = await balances();

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
    expect(await balances()).toEqual(balancesBefore);
  });

  /** A tenant with 1000 credits and a key. */
  async function newCustomer(): Promise<Customer> {
    const tenant = await cli('tenants', 'create', '--name', 'Journey', '--credits', '1000');
    const issued = await cli(
      'keys',
      'issue',
      '--tenant',
      String(tenant['tenant_id']),
      '--env',
      'test',
      '--capabilities',
      'jobs:create,jobs:read',
    );
    const customer = new Customer(base, String(issued['key']));
    customers.push(customer);
    return customer;
  }

  async function cli(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr, code } = await runCommand([...args, '--json'], home, {
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

  /** URLs are signed for PUBLIC_URL, but the port here is known only after the start. */
  function reachable(url: string): string {
    const { pathname, search } = new URL(url);
    return base() + pathname + search;
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

/** A caller that comes back when the service says so, and tries again when the service is away. */
class Customer {
  constructor(
    private readonly base: () => string,
    private readonly key: string,
  ) {}

  async get<Body = Record<string, unknown>>(path: string): Promise<Body> {
    return this.call<Body>(200, path, {});
  }

  /** One call with any outcome. @param body of a dispatch */
  async ask(path: string, body?: object) {
    const begunAt = performance.now();
    const response = await fetch(this.base() + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${this.key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    const { status, headers } = response;
    return { status, headers, body: answer, tookMs: performance.now() - begunAt };
  }

  async balance(): Promise<number> {
    return (await this.get<{ balance: number }>('/v1/credits')).balance;
  }

  /** Newest first; no test fills more than one page. */
  async ledger(): Promise<Entry[]> {
    return (await this.get<{ items: Entry[] }>('/v1/transactions?limit=200')).items;
  }

  /** @returns the job's id */
  async dispatch(body: object, idempotencyKey?: string): Promise<string> {
    const { job_id: jobId } = await this.call<{ job_id: string }>(202, '/v1/product-to-model-direct', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      },
      body: JSON.stringify(body),
    });
    return jobId;
  }

  async ended(jobId: string): Promise<string> {
    return eventually(async () => {
      const { status } = await this.get<{ status: string }>(`/v1/jobs/${jobId}`);
      expect(['SUCCESS', 'FAILURE']).toContain(status);
      return status;
    });
  }

  async upload(bytes: Buffer): Promise<string> {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(bytes)]), 'picture');
    return (await this.call<{ upload_key: string }>(201, '/v1/uploads', { method: 'POST', body })).upload_key;
  }

  /** A body whose job fails, because its picture shows no garment. */
  async emptyPicture(): Promise<object> {
    return { product_image_s3_key: await this.upload(await blankPicture()) };
  }

  /**
   * Repeats a call while the service is away, busy with the same key (409) or over its limits (429, 503). It
   * waits as long as the answer says.
   * @throws Error if another status than the expected one comes
   */
  private async call<Body>(expected: number, path: string, request: RequestInit): Promise<Body> {
    const headers = { ...request.headers, authorization: `Bearer ${this.key}` };
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
      const response = await fetch(this.base() + path, { ...request, headers }).catch(() => undefined);
      if (response?.status === expected) return (await response.json()) as Body;
      if (response) expect([409, 429, 503]).toContain(response.status);
      const seconds = response?.headers.get('retry-after');
      await sleep(seconds ? Number(seconds) * 1000 : 200);
    }
    throw new Error(`${path} was not answered ${expected} within ${patienceMs} ms`);
  }
}

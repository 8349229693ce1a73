import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenedAccount } from '#domain/account/account.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { noSnapshots } from '#event-store/snapshots.js';
import { readRuntime } from '#platform/home-files.js';
import { Atelier } from '../standalone/support/atelier.js';
import { uploadBlank } from '../support/blank-picture.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from '../standalone/support/home.js';
import { remaining } from '../standalone/support/processes.js';
import { eventually } from '../support/eventually.js';

// Each victim needs hundreds of jobs and a recovery, and the machine may be busy.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** For each victim. */
const dispatches = Number(process.env['KILL_DISPATCHES'] ?? 40);
const victims = ['api', 'worker', 'projector', 'postgres', 'supervisor'] as const;
type Victim = (typeof victims)[number];
const inParallel = 8;
/** Most jobs fail fast on a blank photograph and are refunded; one in so many is drawn and settled. */
const drawnEvery = dispatches / 4;
const settings = {
  ATELIER_ORPHAN_HORIZON_MS: '2000',
  ATELIER_SWEEP_INTERVAL_MS: '300',
  ATELIER_WORKER_CONCURRENCY: '4',
};

interface LedgerEntry {
  id: string;
  kind: string;
  status: string;
  credits_delta: number;
}

describe(`kill -9 in the middle of ${dispatches} dispatches`, () => {
  const home = temporaryHome();
  let atelier: Atelier;
  let key: string;
  let tenant: string;
  let blankPhotograph: string;
  const answered = new Set<string>();

  beforeAll(async () => {
    atelier = await Atelier.start(home.path, settings);
    const created = await cli(
      'tenants',
      'create',
      '--name',
      'Crash',
      '--credits',
      '100000',
      '--rate-limit',
      '1000000',
    );
    tenant = String(created['tenant_id']);
    const issued = await cli(
      'keys',
      'issue',
      '--tenant',
      tenant,
      '--env',
      'test',
      '--capabilities',
      'jobs:create,jobs:read',
    );
    key = String(issued['key']);
    blankPhotograph = await uploadBlank(atelier.baseUrl, key);
  });

  afterAll(async () => {
    await atelier?.stop('SIGTERM');
    await home[Symbol.asyncDispose]();
  });

  it.each(victims)(
    'of the %s: what was answered ends, nothing is charged twice, and no charge stays open',
    async (victim) => {
      let sent = 0;
      let killed: Promise<void> | undefined;
      const send = async () => {
        for (let number = sent++; number < dispatches; number = sent++) {
          if (number === dispatches / 2) killed = kill(victim);
          await dispatch(`${victim}-${number}`, number % drawnEvery === 0);
        }
      };
      await Promise.all(Array.from({ length: inParallel }, send));
      await killed;

      const ledger = await eventually(async () => {
        const entries = await operations();
        expect(entries.filter(({ status }) => status === 'PENDING')).toEqual([]);
        return entries;
      }, 240_000);
      for (const jobId of answered) expect(await terminalEvents(jobId)).toEqual(1);
      // Each dispatch was repeated with its Idempotency-Key until it was answered. Each job has one charge,
      // which was kept or refunded. Any other charge was refunded by the sweep.
      expect(new Set(ledger.map(({ id }) => id)).size).toBe(ledger.length);
      expect(ledger.filter(({ status }) => status === 'SUCCESS')).toHaveLength(answeredDrawn.size);
      await expectBooksToBalance();
    },
  );

  const answeredDrawn = new Set<string>();

  /** One dispatch of a careful client, which repeats it with the same key until it gets an answer. */
  async function dispatch(idempotencyKey: string, drawn: boolean): Promise<void> {
    const [path, body] = drawn
      ? ['model-generator', { seed: 7 }]
      : ['product-to-model-direct', { product_image_s3_key: blankPhotograph }];
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(200)) {
      const response = await fetch(`${atelier.baseUrl}/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      }).catch(() => undefined);
      if (response?.status === 202) {
        const { job_id: jobId } = (await response.json()) as { job_id: string };
        answered.add(jobId);
        if (drawn) answeredDrawn.add(jobId);
        return;
      }
      // 409: an earlier try still holds the key. 503: the store was away. The client tries again after both.
      if (response) expect([409, 503]).toContain(response.status);
    }
    throw new Error(`${idempotencyKey} was never answered`);
  }

  async function kill(victim: Victim): Promise<void> {
    if (victim === 'supervisor') {
      const children = [atelier.role('api'), atelier.role('worker'), atelier.role('projector')];
      const { port } = new URL(atelier.baseUrl);
      await atelier.stop('SIGKILL');
      expect(await remaining(children, 15_000)).toEqual([]);
      atelier = await Atelier.start(home.path, { ...settings, PORT: port });
      return;
    }
    const target = victim === 'postgres' ? atelier.postgres() : atelier.role(victim);
    process.kill(target.pid, 'SIGKILL');
    expect(await remaining([target], 5_000)).toEqual([]);
  }

  async function get<Body>(path: string): Promise<Body> {
    const response = await atelier.get(path, key);
    expect(response.status).toBe(200);
    return (await response.json()) as Body;
  }

  async function operations(): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (let offset = 0, total = 1; offset < total; offset += 200) {
      const page = await get<{ items: LedgerEntry[]; total: number }>(
        `/v1/transactions?limit=200&offset=${offset}`,
      );
      entries.push(...page.items);
      total = page.total;
    }
    return entries.filter(({ kind }) => kind === 'operation');
  }

  async function terminalEvents(jobId: string): Promise<number> {
    const { events } = await get<{ events: { event_type: string }[] }>(`/v1/jobs/${jobId}/events?since=0`);
    return events.filter(({ event_type: type }) => type === 'succeeded' || type === 'failed').length;
  }

  /** Checks the log itself, past every read model. */
  async function expectBooksToBalance(): Promise<void> {
    const { balance } = await get<{ balance: number }>('/v1/credits');
    const runtime = readRuntime(home.path);
    const opened = await openEventStore(runtime!, { maxConnections: 2 });
    const { state } = await new AccountWriter(opened.store, noSnapshots).read('test', tenant);
    await opened.close();
    const account = state as OpenedAccount;
    expect(account.charges.entries()).toEqual([]);
    expect(account.balance).toBe(balance);
    expect(balance).toBe(100_000 - 5 * answeredDrawn.size);
    expect(await cli('ledger', 'audit')).toMatchObject({ holds: true, findings: [] });
  }

  async function cli(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr, code } = await runCommand([...args, '--json'], home.path);
    if (code !== 0) throw new Error(`${stderr}${stdout}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEventStore } from '#event-store/open-event-store.js';
import { readRuntime } from '#platform/home-files.js';
import { Atelier } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { remaining } from '../standalone/support/processes.js';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { uploadBlank } from '../support/blank-picture.js';

// Each kill needs a recovery, and the machine may be busy.
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 600_000 });

const kills = Number(process.env['KILL_ERASURES'] ?? 5);
/** An erasure takes about as long as this, so a kill meets each of its steps. */
const longestDelayMs = 250;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe(`kill -9 in the middle of ${kills} erasures`, () => {
  const home = temporaryHome();
  let atelier: Atelier;
  let tenant: string;
  let key: string;

  beforeAll(async () => {
    atelier = await Atelier.start(home.path);
    const named = ['--name', 'Erased', '--env', 'test', '--credits', '100000', '--rate-limit', '1000000'];
    tenant = String((await cli('tenants', 'create', ...named)).tenant_id);
    const capabilities = ['--capabilities', 'jobs:create,jobs:read,data:erase'];
    key = String((await cli('keys', 'issue', '--tenant', tenant, '--env', 'test', ...capabilities)).key);
  });
  afterAll(async () => {
    await atelier?.stop('SIGTERM');
    await home[Symbol.asyncDispose]();
  });

  it('each ends once, and none is shown as completed while something is left of it', async () => {
    for (let kill = 0; kill < kills; kill++) {
      const { asset_id: picture } = await uploadBlank(atelier.baseUrl, key);
      const order = { product_image_s3_key: picture, display_name: 'Annabel Quistgaard' };
      const { body: job } = await ask('POST', '/v1/product-to-model-direct', order);
      const { status, body } = await ask('DELETE', `/v1/uploads/${picture}?derived=true`);
      expect(status).toBe(202);
      await sleep((longestDelayMs * kill) / kills);
      // It may still be coming back from the kill before, if that one came after the end of its erasure.
      const victim = await eventually(() => atelier.role(kill % 4 === 3 ? 'api' : 'projector'));
      process.kill(victim.pid, 'SIGKILL');
      expect(await remaining([victim], 60_000)).toEqual([]);

      const id = String(body.erasure_id);
      while ((await ask('GET', `/v1/erasures/${id}`)).body.status !== 'completed') await sleep(50);
      expect(filesOf(picture)).toEqual([]);
      expect((await ask('GET', `/v1/uploads/${picture}`)).status).toBe(410);
      const { body: erased } = await ask('GET', `/v1/jobs/${String(job.job_id)}`);
      expect(JSON.stringify(erased)).not.toContain('Quistgaard');
      expect(await typesOf(id)).toEqual([
        'ErasureRequested',
        ...['refused', 'bytes', 'rows', 'keys'].map((step) => `ErasureStepped ${step}`),
        'ErasureCompleted',
      ]);
    }
    expect(await cli('ledger', 'audit')).toMatchObject({ holds: true, findings: [] });
    const { body: credits } = await ask('GET', '/v1/credits');
    expect(credits.balance).toBe(100_000 - 5 * (await paidJobs()));
  });

  /** Repeats what was not answered, because the API was killed. An erasure may be requested twice; it is then done twice. */
  async function ask(method: string, path: string, json?: object): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(json && { 'content-type': 'application/json' }),
    };
    for (;;) {
      const sent = await fetch(atelier.baseUrl + path, {
        method,
        headers,
        ...(json && { body: JSON.stringify(json) }),
      }).catch(() => undefined);
      if (sent && sent.status !== 503)
        return { status: sent.status, body: (await sent.json()) as Record<string, unknown> };
      await sleep(100);
    }
  }

  const filesOf = (picture: string) =>
    readdirSync(join(home.path, 'objects'), { recursive: true }).filter((name) =>
      String(name).includes(picture),
    );

  async function typesOf(erasureId: string): Promise<string[]> {
    const opened = await openEventStore(readRuntime(home.path)!, { maxConnections: 1 });
    const slice = await opened.store.readStream(`test.erasure-${erasureId}`);
    await opened.close();
    const events = slice.kind === 'found' ? slice.events : [];
    return events.map(({ type, data }) =>
      type === 'ErasureStepped' ? `${type} ${(data as { step: string }).step}` : type,
    );
  }

  async function paidJobs(): Promise<number> {
    const { body } = await ask('GET', '/v1/transactions?limit=200');
    const items = body.items as { kind: string; status: string }[];
    return items.filter(({ kind, status }) => kind === 'operation' && status === 'SUCCESS').length;
  }

  async function cli(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr, code } = await runCommand([...args, '--json'], home.path);
    if (code !== 0) throw new Error(`${stderr}${stdout}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }
});

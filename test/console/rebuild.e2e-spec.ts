import { testKeys } from '../support/signing-key.js';
import { Atelier } from '@atelier/client';
import { expect, it } from 'vitest';
import pg from 'pg';
import { openEventStore } from '#event-store/open-event-store.js';
import { createLogger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { AdminService } from '../admin/support.js';
import type { Json } from '../api/support/api-client.js';
import { ApiService } from '../api/support/api-service.js';
import { storageOf } from '../api/support/made-pictures.js';
import { openBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { configurationOn, startProjector, startWorker } from '../support/roles.js';
import { obligingEngine } from '../worker/support/engines.js';
import { checkPage, openConsolePage } from './support.js';
import { untilEnd } from '../support/until-end.js';

const service = untilEnd(await ApiService.start({ projector: false }));
const opened = untilEnd(new AsyncDisposableStack());

/**
 * Indexes of two read models that are rebuilt far apart. The creation of each waits for the lock with its
 * number.
 */
const waits = { 1: 'jobs_by_tenant_g2', 2: 'renders_by_tenant_g2' } as const;

const { databaseUrl } = service;
await startRendering(databaseUrl);
const { url: baseUrl } = await service.openApi();
const { key: apiKey } = await service.openTenant({ credits: 1_000_000 });
const atelier = new Atelier({ baseUrl, apiKey, retries: 50 });
const admin = untilEnd(await AdminService.start(databaseUrl));
const token = await admin.token('ada', 'admin');
const gates = new pg.Client({ connectionString: databaseUrl });
await gates.connect();
opened.defer(() => gates.end());
const waitsAtGates = Object.entries(waits).map(
  ([gate, index]) =>
    `if current_query() like '%${index}%' then perform pg_advisory_xact_lock_shared(${gate}); end if;`,
);
await gates.query(`create function wait_at_gate() returns event_trigger language plpgsql as $$ begin
  ${waitsAtGates.join(' ')}
  end $$;
  create event trigger gates on ddl_command_start when tag in ('CREATE INDEX') execute function wait_at_gate();
  select pg_advisory_lock(1), pg_advisory_lock(2)`);
const { page, problems } = await openConsolePage(untilEnd(await openBrowser()));

/** A projector and a worker as their processes make them. */
async function startRendering(url: string): Promise<void> {
  const logger = createLogger('test', 'silent');
  const configuration = configurationOn(url);
  const { store, snapshots, close } = await openEventStore(
    { eventStoreUrl: url, databaseUrl: url },
    { ...testKeys },
  );
  opened.defer(() => close());
  const [tasks, queue] = [
    await PgBossRenderQueue.start({ url, logger }),
    await PgBossRenderQueue.start({ url, logger }),
  ];
  opened.defer(() => tasks.stop(0));
  const projector = await startProjector({ store, snapshots, queue: tasks, logger, configuration });
  opened.defer(() => projector.stop());
  const storage = storageOf(service);
  const worker = await startWorker({ store, storage, queue, logger, engine: obligingEngine, configuration });
  opened.defer(() => worker.stop(0));
}

async function ask(route: string, body?: object): Promise<Json> {
  const answer = await admin.ask(route, token, body);
  expect([200, 202]).toContain(answer.status);
  return answer.body;
}

const open = (gate: keyof typeof waits) => gates.query('select pg_advisory_unlock($1)', [gate]);

let rendered = 0;

/** Starts callers that order, wait for their picture and order again, until they are stopped. */
function startOrdering(callers: number): () => Promise<unknown> {
  let stopped = false;
  const orders = Array.from({ length: callers }, async () => {
    while (!stopped) {
      await atelier.run('model-generator', { gender: 'FEMALE' }).result();
      rendered += 1;
    }
  });
  const ended = Promise.all(orders);
  // The caller awaits this promise at the end; until then a failure must not end the process.
  ended.catch(() => undefined);
  return () => {
    stopped = true;
    return ended;
  };
}

/** Waits until this many more jobs are rendered. */
async function serviceGoesOn(more = 30): Promise<void> {
  const before = rendered;
  await eventually(() => rendered > before + more);
}

/** Waits until the bar shows this phase. @returns how far it is, in per cent */
async function barAt(phase: string): Promise<number> {
  const bar = page.getByRole('progressbar', { name: phase });
  await bar.waitFor();
  return Number(await bar.getAttribute('aria-valuenow'));
}

it('is watched while jobs are posted and rendered: the bar moves, nobody waits, the rows end equal', async () => {
  await page.goto(`${admin.url}/console/models`);
  await page.getByLabel('Operator’s token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('table', { name: 'Generations of the read models' }).waitFor();

  const stopOrdering = startOrdering(4);
  try {
    await serviceGoesOn();
    const { run_id: run } = await ask('POST /projections/rebuild', { all: true, env: 'live' });
    await page.goto(`${admin.url}/console/models?run=${run}`);
    const began = await barAt('live: indexing');
    // The bar stays there until the lock is released.
    await serviceGoesOn();
    await checkPage(page, 'models, a rebuild under way');
    expect(await barAt('live: indexing')).toBe(began);
    await open(1);
    await eventually(async () => (await barAt('live: indexing')) > began);
    await serviceGoesOn();
    await open(2);
    const report = page.getByRole('table', { name: 'What was compared' });
    await report.waitFor();
    const rows = report.getByRole('row').filter({ hasText: 'equal' }).filter({ hasText: 'done' });
    expect(await rows.count()).toBe(readModels.length);
  } finally {
    await stopOrdering();
  }
  const { run_id: comparison } = await ask('POST /projections/compare', { all: true, env: 'live' });
  const found = await eventually(async () => {
    const view = await ask(`GET /runs/${comparison}`);
    return view.state !== 'running' && view;
  });
  expect(found).toMatchObject({ state: 'done', result: { ok: true } });
  expect(problems).toEqual([]);
});

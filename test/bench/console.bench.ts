import { testProof, testSigningKey } from '../support/signing-key.js';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openEventStore, prepareEventStore } from '#event-store/open-event-store.js';
import { streamName } from '#domain/streams.js';
import { freePort } from '#platform/embedded-postgres.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { openBrowser } from '../support/browser.js';
import { startRole } from '../support/role-process.js';
import { createDatabase } from './databases.js';
import { seedHistory } from './history.js';

const usualJobs = 100_000;
const visits = 8;

/**
 * How long an operator waits for a screen: from opening the address until the answers to all of the screen's
 * requests are drawn.
 */
export async function benchConsole(serverUrl: string, jobs = usualJobs): Promise<void> {
  const url = await createDatabase(serverUrl, 'console');
  await prepareEventStore({ eventStoreUrl: url, databaseUrl: url });
  await migrateReadStore(url, readModels);
  const opened = await openEventStore({ eventStoreUrl: url, databaseUrl: url }, { proof: testProof });
  await seedHistory(opened.store, jobs);
  const [last] = await opened.store.readAll({ limit: 1, filter: { types: ['JobSucceeded'] } });
  const job = last?.stream.slice(streamName('live', 'job', '').length) ?? '';
  const tenant = last?.metadata.tenant ?? '';
  await opened.close();
  const settings = {
    DATABASE_URL: url,
    EVENT_STORE_URL: url,
    URL_SIGNING_SECRET: 'bench',
    ATELIER_SIGNING_KEY: testSigningKey,
  };
  const atelier = (...args: string[]) =>
    execFileSync(
      process.execPath,
      [join('dist', 'capabilities', 'operate', 'main.js'), ...args, '--direct', '--json'],
      {
        env: { ...process.env, ...settings },
        encoding: 'utf8',
        maxBuffer: 64 * 2 ** 20,
      },
    );
  atelier('projections', 'rebuild', '--all');
  const { token } = JSON.parse(atelier('operators', 'add', 'bench', '--role', 'admin')) as { token: string };
  const port = String(await freePort());
  const role = await startRole('capabilities/operate/server/main.js', {
    ...settings,
    ATELIER_ADMIN_PORT: port,
  });
  await using browser = await openBrowser();
  const page = await browser.newPage();
  const base = `http://127.0.0.1:${port}/console`;
  await page.goto(base);
  await page.getByLabel('Operator’s token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('bench, admin').waitFor();
  console.log(`${jobs} jobs; p75 of ${visits} visits, until the screen is drawn`);
  for (const path of screensOf(tenant, job)) {
    const times: number[] = [];
    for (let visit = 0; visit < visits; visit++) times.push(await timeToDrawn(page, base + path));
    const sorted = times.toSorted((one, other) => one - other);
    console.log(
      `${path.padEnd(48)} ${String(Math.round(sorted[Math.ceil(visits * 0.75) - 1] ?? 0)).padStart(6)} ms`,
    );
  }
  await role.stop();
}

const screensOf = (tenant: string, job: string) => [
  '/',
  '/jobs',
  '/jobs?status=FAILURE&hours=1',
  `/jobs?tenant=${tenant}`,
  `/jobs/${job}`,
  `/search/${job}`,
  '/pictures',
  '/tenants',
  `/tenants/${tenant}`,
  `/tenants/${tenant}/ledger`,
  '/grants',
  '/models',
  '/care',
  '/audit',
  '/actions',
];

async function timeToDrawn(page: Page, address: string): Promise<number> {
  const startedAt = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('main h1').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  return performance.now() - startedAt;
}

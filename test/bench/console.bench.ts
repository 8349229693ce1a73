import { testKeys } from '../support/signing-key.js';
import type { Page } from 'playwright-core';
import { openEventStore } from '#event-store/open-event-store.js';
import { streamName } from '#domain/streams.js';
import { freePort } from '#platform/embedded-postgres.js';
import { openBrowser } from '../support/browser.js';
import { operate } from '../support/command.js';
import { startRole } from '../support/role-process.js';
import { createInstallation, settingsOf } from './databases.js';
import { seedHistory } from './history.js';
import { tell } from './results.js';

const usualJobs = 100_000;
const visits = 8;

/**
 * How long an operator waits for a screen: from opening the address until the answers to all of the screen's
 * requests are drawn.
 */
export async function benchConsole(serverUrl: string, jobs = usualJobs): Promise<void> {
  const urls = await createInstallation(serverUrl, 'console');
  const opened = await openEventStore(urls, { ...testKeys });
  await seedHistory(opened.store, jobs);
  const [last] = await opened.store.readAll({ limit: 1, filter: { types: ['JobSucceeded'] } });
  const job = last?.stream.slice(streamName('live', 'job', '').length) ?? '';
  const tenant = last?.metadata.tenant ?? '';
  await opened.close();
  const settings = settingsOf(urls.databaseUrl);
  await operate(settings, 'projections', 'rebuild', '--all', '--direct', '--json');
  const add = ['operators', 'add', 'bench', '--role', 'admin', '--direct', '--json'];
  const { token } = JSON.parse((await operate(settings, ...add)).stdout) as { token: string };
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
  const rows: [path: string, ms: number][] = [];
  for (const path of screensOf(tenant, job)) {
    const times: number[] = [];
    for (let visit = 0; visit < visits; visit++) times.push(await timeToDrawn(page, base + path));
    const sorted = times.toSorted((one, other) => one - other);
    rows.push([path, Math.round(sorted[Math.ceil(visits * 0.75) - 1] ?? 0)]);
  }
  const title = `The console over ${jobs} jobs: until a screen is drawn, of ${visits} visits`;
  tell({ title, head: ['screen', 'p75 ms'], rows });
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

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Atelier, type Answer } from '@atelier/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { freePort } from '#platform/embedded-postgres.js';
import { startService } from '../journeys/service.js';
import { openBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { DeadlyProxy } from './deadly-proxy.js';
import { untilEnd } from '../support/until-end.js';

type Webhook = Answer<'/v1/webhooks/{public_id}'>;

const pagePort = String(await freePort());
const service = untilEnd(
  await startService(100, {
    ATELIER_WEBHOOK_ALLOW_HTTP: 'true',
    ATELIER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    CORS_ORIGINS: `http://127.0.0.1:${pagePort}`,
  }),
);
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function start(program: string, settings: NodeJS.ProcessEnv): { child: ChildProcess; said: () => string } {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join('examples', program)], {
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (words: string) => (stdout += words));
  return { child, said: () => stdout };
}

describe('the back office', () => {
  const home = mkdtempSync(join(tmpdir(), 'atelier-shop-'));
  let atelier: Atelier;
  let settings: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const key = await service.testKey(500);
    atelier = new Atelier({ baseUrl: service.baseUrl, apiKey: key });
    settings = { ATELIER_KEY: key, PORT: String(await freePort()), SHOP_HOME: home };
  });
  afterAll(() => rmSync(home, { recursive: true }));

  const balance = async () => (await atelier.get('/v1/credits')).balance;
  const jobs = async () => {
    const ids: string[] = [];
    for await (const { public_id: id } of atelier.list('/v1/jobs')) ids.push(id);
    return ids;
  };
  const pictures = () => readdirSync(home).filter((file) => file.endsWith('.png'));

  it('is killed at each kind of step, charges nothing twice, and stops before its budget is passed', async () => {
    let office: ReturnType<typeof start>;
    const steps = [
      ['POST /v1/webhooks', 1],
      ['POST /v1/products', 7],
      ['POST /v1/catalog-shots', 2],
      ['GET /v1/jobs/', 2],
    ] as const;
    const proxy = await DeadlyProxy.open(service.baseUrl, steps, () => office.child.kill('SIGKILL'));
    const ends: unknown[] = [];
    do {
      office = start('back-office/main.ts', { ...settings, ATELIER_URL: proxy.url, BUDGET: '39' });
      ends.push((await once(office.child, 'close'))[1]);
    } while (ends.at(-1) === 'SIGKILL');
    proxy.close();

    expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL', null]);
    expect(office.said()).toContain('3 of 20 articles have their picture.');
    expect(office.said()).toContain('30 of 39 credits are spent, 9 are left.');
    expect(office.said()).toMatch(/Not ordered, for lack of budget or credits: SP-04, .*, SP-20\n/);
    expect(await balance()).toBe(470);
    expect(await jobs()).toHaveLength(3);
    expect(await atelier.get('/v1/products')).toMatchObject({ total: 20 });
    expect((await atelier.get('/v1/webhooks')).items).toHaveLength(1);
    expect(pictures()).toEqual(['SP-01.png', 'SP-02.png', 'SP-03.png']);
    for (const picture of pictures())
      expect(await sharp(join(home, picture)).metadata()).toMatchObject({ format: 'png', width: 683 });
  });

  it('goes on when there is more to spend, and takes messages that come again, or from others, for nothing', async () => {
    const office = start('back-office/main.ts', { ...settings, ATELIER_URL: service.baseUrl, BUDGET: '40' });
    await eventually(() => office.said().includes('SP-04 Linen dress: ordered'));
    const [{ public_id, url, created_at: since }] = (await atelier.get('/v1/webhooks')).items as [Webhook];
    await atelier.post('/v1/webhooks/{public_id}/resend', { since }, { public_id });
    const forged = await fetch(url, { method: 'POST', body: '{"type":"job.succeeded"}' });
    expect(forged.status).toBe(400);
    expect((await once(office.child, 'close'))[0]).toBe(0);
    expect(office.said()).toContain('4 of 20 articles have their picture.');
    expect(office.said().match(/\.png/g)).toHaveLength(1);
    expect(await balance()).toBe(460);

    const database = new DatabaseSync(join(home, 'shop.db'), { readOnly: true });
    const told = database.prepare('select job_id from messages').all();
    database.close();
    const known = new Set(await jobs());
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.map(({ job_id: id }) => id)).size).toBe(told.length);
    for (const { job_id: id } of told) expect(known).toContain(id);
  });
});

describe('the page', () => {
  it('uploads with a token, shows the picture of its one job, and never sees a key', async () => {
    const key = await service.testKey(50);
    const origin = `http://127.0.0.1:${pagePort}`;
    const settings = { ATELIER_URL: service.baseUrl, ATELIER_KEY: key, PORT: pagePort };
    const shop = start('browser-upload/server.ts', settings);
    await eventually(() => shop.said().includes(origin));
    await using browser = await openBrowser();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    const seen: Promise<string>[] = [];
    page.on('request', (request) => {
      seen.push(request.allHeaders().then((headers) => JSON.stringify([request.url(), headers])));
    });
    page.on('response', (response) => void seen.push(response.text().catch(() => '')));

    await page.goto(origin);
    await page.setInputFiles('input', join('assets', 'samples', 'jumper.jpg'));
    await page.click('button');
    const picture = page.locator('img');
    await picture.waitFor({ timeout: 180_000 });
    await eventually(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0));
    expect(await page.locator('output').textContent()).toMatch(/\w/);
    const words = (await Promise.all(seen)).join('\n');
    expect(words).toContain('Bearer ct_test_');
    expect(words).not.toMatch(/sk_(?:test|live)_\w/);
    expect(problems).toEqual([]);
  });
});

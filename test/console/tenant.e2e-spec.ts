import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Atelier } from '@atelier/client';
import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { workflows } from '#workflows/workflows.js';
import { startService } from '../journeys/service.js';
import { openBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { checkForEverybody, checkPage, openConsolePage, whenDrawn } from './support.js';
import { untilEnd } from '../support/until-end.js';

/** The status of the tenant's endpoint: it fails until a test changes this. */
let answersWith = 500;
const endpoint = createServer((request, response) => {
  request.resume();
  response.writeHead(answersWith).end('thanks');
}).listen(0, '127.0.0.1');
await once(endpoint, 'listening');
afterAll(() => endpoint.close());
const photograph = join('assets', 'samples', 'garment-photograph.jpg');
const service = untilEnd(
  await startService(100, {
    ATELIER_WEBHOOK_ALLOW_HTTP: 'true',
    ATELIER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  }),
);
const key = await service.testKey(500);
const atelier = new Atelier({ baseUrl: service.baseUrl, apiKey: key });
const { page, problems } = await openConsolePage(untilEnd(await openBrowser()));

const open = async (path: string) => {
  await page.goto(`${service.baseUrl}/console${path}`);
  await whenDrawn(page);
};
const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
const order = () => press('Order');
/** The id of the job that the page shows beside the form, once the job has its picture. */
const ordered = async (): Promise<string> => {
  await page.locator('.beside .timeline .good').waitFor();
  const link = await page.getByRole('link', { name: 'All about it' }).getAttribute('href');
  return link?.split('/').at(-1) ?? '';
};
const isLoaded = (picture: string) =>
  eventually(() =>
    page
      .locator(picture)
      .first()
      .evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0),
  );

describe('what the API serves', () => {
  const get = (path: string, init?: RequestInit) => fetch(`${service.baseUrl}${path}`, init);

  it('is a page with a policy that lets nothing in but itself and pictures', async () => {
    const answer = await get('/console/jobs/any');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
        `img-src 'self' data: blob: ${service.baseUrl}; ` +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('set-cookie')).toBeNull();
    const html = await answer.text();
    expect(html).not.toMatch(/<style|<script(?! type="module" crossorigin src=)|\son\w+=/);
    const [asset] = /\/console\/assets\/tenant-[\w-]+\.js/.exec(html) ?? [];
    expect((await get(asset!)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('has nothing of the operators', async () => {
    const operators = await readFile(join('dist', 'console', 'operator.html'), 'utf8');
    const [asset] = /\/console\/assets\/operator-[\w-]+\.js/.exec(operators) ?? [];
    for (const path of [asset!, '/console/assets/none.js', '/console/assets', '/consoles']) {
      const answer = await get(path);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBe('RESOURCE_NOT_FOUND');
    }
    const pages = await (await get('/console/operator.html')).text();
    expect(pages).not.toContain('operator');
    expect((await get('/console', { method: 'POST' })).status).toBe(405);
  });
});

describe('logging in', () => {
  it('says what is wrong with a key that is none, and keeps nothing of it', async () => {
    await page.goto(`${service.baseUrl}/console`);
    await page.getByLabel('API key').fill('sk_test_wrong');
    await press('Log in');
    await page.getByRole('alert').getByText('This installation does not know the key.').waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).toBe('{}');
    await checkForEverybody(page, 'tenant login');
  });

  it('keeps a good key in this tab, and nowhere else', async () => {
    await page.getByLabel('API key').fill(key);
    await press('Log in');
    await page.getByRole('heading', { name: 'Start' }).waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).toBe(
      JSON.stringify([{ 'api-key': key }, {}]),
    );
    expect(await page.context().cookies()).toEqual([]);
  });
});

describe('the playground', () => {
  it.each(workflows.map(({ name }) => name))('has a form for %s, with all of its fields', async (name) => {
    const { paths, components } = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as {
      paths: Record<
        string,
        { post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } } }
      >;
      components: { schemas: Record<string, { properties: object }> };
    };
    const { $ref } = paths[`/v1/${name}`]!.post.requestBody.content['application/json'].schema;
    const fields = Object.keys(components.schemas[$ref.split('/').at(-1)!]!.properties);
    await open(`/order/${name}`);
    const shown = await page.locator('form#order :is(label, legend) > code').allTextContents();
    expect(shown).toEqual(expect.arrayContaining(fields));
    await checkPage(page, `form of ${name}`);
  });

  it('brings pictures with an example, and makes the model that a newcomer has not', async () => {
    const { balance } = await atelier.get('/v1/credits');
    await open('/order/try-on');
    await press('Example: outfit');
    await page.getByText('This example also needs a model that was made here').waitFor();
    expect((await atelier.get('/v1/credits')).balance).toBe(balance);
    await press('Make a model, 5 credits');
    await page.getByText('Checked: it would be accepted').waitFor();
    await eventually(async () => (await page.locator('.drop img').count()) === 3);
    await checkForEverybody(page, 'an example with its pictures');
    await page.setViewportSize({ width: 1280, height: 900 });
    await order();
    const id = await ordered();
    await open(`/jobs/${id}`);
    await page.locator('h1:text-is("try-on")').waitFor();
    await page.locator('dt:text-is("Workflow") + dd').getByText('try-on').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.png$/);
  });

  it('goes to the first field that is refused, also where it is out of sight', async () => {
    await page.setViewportSize({ width: 390, height: 500 });
    await open('/order/try-on');
    await order();
    await page.locator('.wrong :focus').waitFor();
    const place = await page.evaluate('document.activeElement.getBoundingClientRect().top');
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(500);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('orders with the keyboard alone, and follows the job to its picture', async () => {
    const { balance } = await atelier.get('/v1/credits');
    await open('/order/model-generator');
    const reach = async (isThere: string) => {
      for (let tabs = 0; tabs < 80; tabs++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(`(${isThere})(document.activeElement)`)) return;
      }
      throw new Error(`no way by the keyboard to where ${isThere}`);
    };
    await reach(`(it) => it.labels?.[0]?.textContent.includes('age_range')`);
    await page.keyboard.type('30');
    await page.getByText('Checked: it would be accepted').waitFor();
    await reach(`(it) => it.textContent === 'Order'`);
    await page.keyboard.press('Enter');
    const id = await ordered();
    await isLoaded('.beside .pictures img');
    expect(await page.locator('.beside .timeline code').allTextContents()).toEqual(
      expect.arrayContaining(['queued', 'croquis', 'succeeded']),
    );
    const job = await atelier.get('/v1/jobs/{public_id}', { public_id: id });
    expect(job).toMatchObject({ status: 'SUCCESS', request: { age_range: '30-34' } });
    expect((await atelier.get('/v1/credits')).balance).toBe(balance - job.credits_cost);
    await checkForEverybody(page, 'an order, done');
  });

  it('shows at each field what the API refuses it for', async () => {
    await open('/order/try-on');
    await page.getByText('More: model, size, seed, names').click();
    await page.getByLabel('Seed').fill('lucky');
    await order();
    await page.getByText('3 fields are not right yet. Nothing was charged.').waitFor();
    const wrong = page.locator('.form-field.wrong');
    expect(
      await wrong.filter({ hasText: 'must be an integer' }).locator('label code').allTextContents(),
    ).toEqual(['seed']);
    expect(await page.getByLabel('Seed').getAttribute('aria-invalid')).toBe('true');
    await press('Go to the first');
    expect(await page.evaluate('document.activeElement.closest(".wrong") !== null')).toBe(true);
    await checkForEverybody(page, 'a refusal');
  });

  it('uploads what is dropped, tells the price first, and shows input and picture under one slider', async () => {
    await open('/order/background-swap-with-spec');
    const bytes = (await readFile(photograph)).toString('base64');
    const files = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${bytes}'), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], 'dress.jpg', { type: 'image/jpeg' }));
      return transfer;
    })()`);
    await page.locator('.drop').first().dispatchEvent('drop', { dataTransfer: files });
    await isLoaded('.drop img');
    await page.getByLabel('Mood').fill('calm');
    await page.getByText('Checked: it would be accepted').waitFor();
    await order();
    const id = await ordered();
    await open(`/jobs/${id}`);
    await isLoaded('.compare .before');
    const share = () => page.locator('.compare').getAttribute('style');
    expect(await share()).toBe('--share: 50%;');
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowRight');
    expect(await share()).toBe('--share: 51%;');
    await checkForEverybody(page, 'a job');
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByRole('link', { name: 'Order again' }).click();
    await isLoaded('.drop img');
    expect(await page.getByLabel('Mood').inputValue()).toBe('calm');
    await page.getByText('Checked: it would be accepted').waitFor();
  });

  const passportOf = async (id: string) => atelier.get('/v1/renders/{public_id}/passport', { public_id: id });
  /** The hashes that are shown, by their ends. */
  const links = (within: Locator) =>
    within.locator('.timeline > li').filter({ hasText: 'SHA-256' }).locator('.id');

  it('shows the passport of a picture, with what checks it, to the keyboard alone', async () => {
    const [job] = (await atelier.get('/v1/jobs', { status: 'SUCCESS', limit: 1 })).jobs;
    const { inputs, pictures, order } = await passportOf(job!.public_id);
    const hashes = [...inputs, ...pictures].map(({ sha256 }) => sha256!);
    await open(`/jobs/${job!.public_id}`);
    const passport = page.getByRole('region', { name: 'Passport' });
    await passport.getByText(`Event ${order.position} of the log`).waitFor();
    expect(await links(passport).allTextContents()).toEqual(hashes.map((each) => `…${each.slice(-8)}`));
    await passport.getByText('Check it yourself').focus();
    await page.keyboard.press('Enter');
    await passport.getByText('atelier provenance verify FILE').first().waitFor();
    await passport.getByText(pictures[0]!.sha256!).waitFor();
    if (order.seal) await passport.getByText(order.seal.key).first().waitFor();
    await checkForEverybody(page, 'a job with its passport');
    await page.setViewportSize({ width: 1280, height: 900 });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      passport.getByRole('button', { name: 'Download PDF' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`passport-${job!.public_id}.pdf`);
    expect((await readFile(await download.path())).toString('latin1')).toMatch(/^%PDF-/);
  });

  it('shows the passport beside each picture of the wall', async () => {
    await open('/pictures');
    await press('Passport');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('of the log').waitFor();
    await checkForEverybody(page, 'a passport beside a picture');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('chooses presets by their pictures, and pictures from those that there are', async () => {
    await open('/order/catalog-shots');
    await page.getByText('From your pictures').click();
    await page.locator('.row .choose').first().click();
    await isLoaded('.drop img');
    await page.getByLabel('Product title').fill('Dress');
    for (const kind of ['Model preset', 'Background preset', 'Shot preset'])
      await page.getByRole('radiogroup', { name: kind, exact: true }).locator('label').nth(1).click();
    await page.getByText('Checked: it would be accepted').waitFor();
    await checkForEverybody(page, 'an order of presets');
  });

  const programs = {
    curl: (code: string) => ['bash', ['-euo', 'pipefail', '-c', code]] as const,
    TypeScript: (code: string) =>
      [process.execPath, ['--input-type=module-typescript', '--eval', code]] as const,
    Python: (code: string) => ['python3', ['-c', code]] as const,
  };
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  it.each(Object.keys(programs) as (keyof typeof programs)[])(
    'writes the order as %s, which works',
    async (language) => {
      if (language === 'Python' && !hasPython) return console.warn('python3 is not installed: not tried');
      const name = `O'Neil's "$HOME" \\ ${language}`;
      await open('/order/model-generator');
      await press('Example: portrait');
      await page.getByLabel('Display name').fill(name);
      await page.getByLabel('Eval enabled').selectOption('yes');
      await page.getByRole('radio', { name: language }).check({ force: true });
      const code = await page.getByLabel(`The order in ${language}`).textContent();
      expect(code).not.toContain(key);
      const [command, args] = programs[language](code ?? '');
      await promisify(execFile)(command, [...args], { env: { ...process.env, ATELIER_KEY: key } });
      const [newest] = (await atelier.get('/v1/jobs', { limit: 1 })).jobs;
      const job = await atelier.get('/v1/jobs/{public_id}', { public_id: newest!.public_id });
      expect(job).toMatchObject({ display_name: name, request: { eval_enabled: true } });
    },
  );
});

describe('the tenant’s own', () => {
  it('webhooks are added, tried, and sent again', async () => {
    await open('/webhooks');
    await press('Add an endpoint');
    const dialog = page.getByRole('dialog');
    const { port } = endpoint.address() as AddressInfo;
    await dialog.getByLabel('Where messages are sent').fill(`http://127.0.0.1:${port}/hook`);
    await dialog.getByLabel('What it is').fill('Back office');
    await checkPage(page, 'dialog of an endpoint');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    expect(await dialog.locator('.secret').textContent()).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: /127\.0\.0\.1/ }).click();
    await press('Send a test');
    await dialog.getByRole('button', { name: 'Send it' }).click();
    // Jobs that end now send messages as well.
    const row = page.getByRole('row').filter({ hasText: 'webhook.test' });
    await row.locator('strong').getByText('500').first().waitFor();
    answersWith = 204;
    await row.getByRole('button', { name: 'Send again' }).click();
    await checkPage(page, 'dialog of a delivery');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await row.locator('strong').getByText('204').first().waitFor();
    await row.getByText('delivered').waitFor();
    await checkForEverybody(page, 'deliveries');
  });

  it('statement is a CSV whose last balance is the balance', async () => {
    await open('/credits');
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download CSV')]);
    const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(head).toBe('created_at,id,kind,label,status,credits,balance');
    const { balance } = await atelier.get('/v1/credits');
    expect(Number(rows.at(-1)?.split(',').at(-1))).toBe(balance);
    await page.locator('.tile').filter({ hasText: 'Balance' }).getByText(String(balance)).waitFor();
  });

  it('uploads show their size and end; the button adds one, and one is erased by its row', async () => {
    await open('/uploads');
    const rows = page.locator('tbody tr');
    const before = (await atelier.get('/v1/uploads')).total;
    await page.getByLabel('Upload a picture').setInputFiles(photograph);
    await eventually(async () => (await rows.count()) === before + 1);
    await isLoaded('.thumb');
    const [newest] = (await atelier.get('/v1/uploads', { limit: 1 })).items;
    await rows.first().getByText(newest!.asset_id).waitFor();
    await rows.first().getByText('no limit').waitFor();
    await checkForEverybody(page, 'uploads');
    await page.setViewportSize({ width: 1280, height: 900 });
    await rows.first().getByRole('button', { name: 'Erase' }).focus();
    await page.keyboard.press('Enter');
    await checkForEverybody(page, 'dialog of an upload');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('dialog').getByRole('button', { name: 'Erase it for good' }).click();
    await eventually(async () => (await rows.count()) === before);
    expect((await atelier.get('/v1/uploads')).items.map(({ asset_id: id }) => id)).not.toContain(
      newest!.asset_id,
    );
  });

  it('products open with their pictures', async () => {
    await open('/products');
    await page.getByText('No product is here.').waitFor();
    await checkForEverybody(page, 'no products');
    const { asset_id: upload_asset_public_id } = await atelier.upload(await readFile(photograph));
    const product = { upload_asset_public_id, title: 'Linen shirt', external_ref: 'SKU-1042' };
    const { public_id } = await atelier.post('/v1/products', { ...product, description: 'Washed linen.' });
    await open('/products');
    await isLoaded('.thumb');
    await checkForEverybody(page, 'products');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'Linen shirt' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Linen shirt' }).waitFor();
    expect(page.url()).toContain(`/products/${public_id}`);
    await isLoaded('.pictures img');
    await page.getByText('SKU-1042').waitFor();
    await checkForEverybody(page, 'a product');
    await open('/products?status=archived');
    await page.getByText('No product is in this state.').waitFor();
  });

  it('keys show what each may do and has spent', async () => {
    await open('/keys');
    const own = page.getByRole('table', { name: 'Keys', exact: true }).getByRole('row').last();
    await own.getByText('(used here)').waitFor();
    await own.getByText(key.slice(0, 'sk_test_'.length + 26)).waitFor();
    expect(await page.content()).not.toContain(key);
    const [sums] = (await atelier.get('/v1/usage/by-key')).items;
    const spent = sums!.credits_spent;
    expect(spent).toBe(500 - (await atelier.get('/v1/credits')).balance);
    const spending = page.getByRole('table', { name: 'Spending by key' }).getByRole('row').last();
    await spending.getByText(String(spent), { exact: true }).last().waitFor();
    await page.getByLabel('Period').selectOption('the last week');
    await spending.getByText(String(spent), { exact: true }).last().waitFor();
    await checkForEverybody(page, 'keys');
  });

  it.each([
    '',
    'playground',
    'jobs',
    'pictures',
    'uploads',
    'products',
    'credits',
    'usage',
    'keys',
    'webhooks',
    'nowhere',
  ])('screen /%s is drawn, for everybody', async (path) => {
    await open(`/${path}`);
    await checkForEverybody(page, `tenant ${path || 'start'}`);
  });

  it('lists can be narrowed', async () => {
    await open('/jobs');
    const rows = page.locator('tbody tr');
    await page.getByLabel('Type').selectOption('background swap with spec');
    await eventually(async () => (await rows.count()) === 1);
    await page.getByLabel('State').selectOption('failed or cancelled');
    await page.getByText('No job matches').waitFor();
  });

  it('session ends with the button, and with the key', async () => {
    await page.evaluate(`sessionStorage.setItem('api-key', 'sk_test_revoked')`);
    await open('/usage').catch(() => undefined);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  });
});

it('never broke, and never asked for what its policy keeps out', () => {
  expect(problems).toEqual([]);
});

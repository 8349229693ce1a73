import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkForEverybody, openConsolePage, whenDrawn } from '../console/support.js';
import { openBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';
import { Atelier } from './support/atelier.js';
import { temporaryHome } from './support/home.js';
import { remaining } from './support/processes.js';

const home = untilEnd(temporaryHome());
let atelier: Atelier;
afterAll(() => atelier.stop('SIGKILL'));

const linkOf = ({ output }: Atelier) => /http:\/\/\S+\/console#link=([\w-]+)\n/.exec(output().stdout) ?? [];

interface Exchanged {
  readonly status: number;
  readonly body: {
    readonly key?: string;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

async function exchange(token: unknown, init: RequestInit = {}): Promise<Exchanged> {
  const answer = await fetch(`${atelier.baseUrl}/console/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    ...init,
  });
  return { status: answer.status, body: (await answer.json()) as Exchanged['body'] };
}

const messageOf = async (token: string) => (await exchange(token)).body.error?.message;

/** Everything that the service wrote into files: its logs, its database, its settings. */
function filesWith(text: string): string[] {
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.filter((path) => readFileSync(path).includes(text));
}

describe('the link of npm start', () => {
  let firstToken: string;
  let firstKey: string;

  it('signs a browser in, with sample pictures: three presses make a picture', async () => {
    atelier = await Atelier.start(home.path);
    const [link = '', token = ''] = linkOf(atelier);
    firstToken = token;
    const browser = untilEnd(await openBrowser());
    const { page, problems } = await openConsolePage(browser);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));

    await page.goto(link.trim());
    await page.getByText('No picture yet.').waitFor();
    expect(await page.title()).toBe('Start · Atelier');
    expect(page.url()).toBe(`${atelier.baseUrl}/console`);
    expect(asked.filter((url) => url.includes(token))).toEqual([]);
    firstKey = String(await page.evaluate(`sessionStorage.getItem('api-key')`));
    await checkForEverybody(page, 'start, without pictures');

    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'jacket', exact: true }).click();
    await page.getByText('Checked: it would be accepted').waitFor();
    await checkForEverybody(page, 'playground with a sample');
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    await page.locator('.beside .timeline .good').waitFor();

    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await whenDrawn(page);
    const picture = page.locator('.pictures img').first();
    await eventually(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0));
    await checkForEverybody(page, 'start, with pictures');

    // In another tab, which has no key of its own.
    const other = await openConsolePage(browser);
    await other.page.goto(link.trim());
    await other.page.getByRole('alert').getByText('has signed a browser in already').waitFor();
    await checkForEverybody(other.page, 'a link that was used');
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it('is in no file, and neither is its key', () => {
    expect(filesWith(firstToken)).toEqual([]);
    expect(filesWith(firstKey)).toEqual([]);
  });

  it('stays used when the API starts again', async () => {
    const before = atelier.role('api');
    process.kill(before.pid, 'SIGKILL');
    await remaining([before], 5_000);
    await eventually(async () => expect((await atelier.get('/health/ready')).status).toBe(200));
    expect(await messageOf(firstToken)).toContain(
      'works only once. Stop npm start with Ctrl-C and start it again',
    );
  });

  it('is another one after the next start, for one of many browsers; the earlier key ends', async () => {
    expect((await atelier.get('/v1/credits', firstKey)).status).toBe(200);
    await atelier.stop('SIGTERM');
    atelier = await Atelier.start(home.path);
    const [, token = ''] = linkOf(atelier);
    expect(await messageOf(firstToken)).toContain('does not belong to the service that runs now');
    const all = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
    const keys = all.flatMap(({ body: { key } }) => key ?? []);
    expect(keys).toHaveLength(1);
    expect(all.filter(({ body }) => body.error?.code === 'UNAUTHENTICATED')).toHaveLength(7);
    expect((await atelier.get('/v1/credits', keys[0])).status).toBe(200);
    expect((await atelier.get('/v1/credits', firstKey)).status).toBe(401);
  });

  it.each([
    ['no token', { body: '{}' }, 422],
    ['a token that is no text', { body: '{"token":{"length":43}}' }, 422],
    ['a long token', { body: JSON.stringify({ token: 'x'.repeat(101) }) }, 422],
    ['a form of another site', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('refuses %s', async (_what, init, status) => {
    expect((await exchange('x', init)).status).toBe(status);
  });

  it('does not exist where others reach the service', async () => {
    await atelier.stop('SIGTERM');
    atelier = await Atelier.start(home.path, { HOST: '0.0.0.0' });
    const { stdout } = atelier.output();
    expect(stdout).toContain(`Try it in the browser  ${atelier.baseUrl}/console\n`);
    expect(stdout).not.toContain('#link=');
    expect((await exchange('x')).status).toBe(405);
  });
});

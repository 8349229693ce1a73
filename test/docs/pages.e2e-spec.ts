import { describe, expect, it } from 'vitest';
import { checkForEverybody, openConsolePage } from '../console/support.js';
import { openBrowser } from '../support/browser.js';
import { openWorld } from '../api/support/world.js';
import { untilEnd } from '../support/until-end.js';

const { api } = await openWorld();
const { url } = api;
const { page, problems } = await openConsolePage(untilEnd(await openBrowser()));

describe('the pages for integrators', () => {
  it.each(['/', '/docs/guides/quick-start', '/docs/guides/errors', '/docs/guides/none'])(
    '%s is drawn, for everybody',
    async (path) => {
      await page.goto(url + path);
      await checkForEverybody(page, `page ${path.split('/').at(-1) || 'home'}`);
      expect(problems).toEqual([]);
    },
  );

  it('begin with a picture that is really loaded, and show no backtick', async () => {
    await page.goto(url);
    const picture = page.locator('figure img');
    expect(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1016);
    expect(await page.locator('body').textContent()).not.toContain('`');
    expect(await page.locator('.cards code').textContent()).toBe('meta');
  });

  it('mark where the reader is, and on a phone show the text first', async () => {
    await page.goto(`${url}/docs/guides/webhooks`);
    expect(await page.locator('nav [aria-current=page]').allTextContents()).toEqual(['Webhooks']);
    const top = async (place: string) => (await page.locator(place).boundingBox())?.y ?? NaN;
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await top('.guides')).toBeLessThan(200);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await top('article')).toBeLessThan(200);
    expect(await top('.guides')).toBeGreaterThan(800);
  });

  it('say to people as a page, and to programs as JSON, that a guide is none', async () => {
    const ask = (accept: string) => fetch(`${url}/docs/guides/none`, { headers: { accept } });
    const shown = await ask('text/html,application/xhtml+xml');
    expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await shown.text()).toContain('<h1>There is no such guide</h1>');
    const told = await ask('application/json');
    expect(told.status).toBe(404);
    const { error } = (await told.json()) as { error: { code: string; message: string } };
    expect(error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: 'There is no such guide: /llms.txt lists all guides.',
    });
  });
});

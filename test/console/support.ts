import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';

/** The folder for a screenshot of each screen; unset: none is kept. */
const screenshots = process.env['CONSOLE_SCREENSHOTS'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens a page and collects its problems: scripts that failed, and content that its policy blocked. */
export async function openConsolePage(browser: Browser): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const problems: string[] = [];
  // Only a failure uses all of this time.
  page.setDefaultTimeout(180_000);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // The page itself shows refused requests.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) problems.push(message.text());
  });
  return { page, problems };
}

/** Waits until every request of the page is answered. */
export async function whenDrawn(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await eventually(async () => (await page.locator('.skeleton').count()) === 0);
}

/** Checks the drawn page against WCAG, A and AA. If a dialog is open, only the dialog is checked. */
export async function checkPage(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  const rules = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);
  const shown = `document.querySelector('[role=dialog]') ?? document`;
  const run = `axe.run(${shown}, { runOnly: ${rules}, resultTypes: ['violations'] })`;
  const { violations } = (await page.evaluate(run)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  expect(violations.map(({ id, nodes }) => ({ name, id, ...nodes[0] }))).toEqual([]);
  await fits(page, name);
}

/** Checks that the drawn page fits the width of the screen, and saves a screenshot of it. */
async function fits(page: Page, name: string): Promise<void> {
  const beyond = await page.evaluate('document.scrollingElement.scrollWidth - innerWidth');
  expect({ name, beyond: Math.max(0, Number(beyond)) }).toEqual({ name, beyond: 0 });
  expect({ name, cut: await page.evaluate(cutSelects) }).toEqual({ name, cut: [] });
  if (screenshots === undefined) return;
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

/** Lists that are narrower than their chosen entry. */
const cutSelects = `[...document.querySelectorAll('select')].flatMap((select) => {
  const alone = select.cloneNode(true);
  alone.style.cssText = 'position: absolute; width: auto; visibility: hidden';
  const chosen = select.selectedOptions[0];
  alone.replaceChildren(...(chosen ? [chosen.cloneNode(true)] : []));
  select.parentElement.append(alone);
  const cut = alone.offsetWidth > select.offsetWidth + 1;
  alone.remove();
  return cut ? [chosen.textContent] : [];
})`;

/** Each colour scheme is checked once. A window of 1280 pixels at 200 % shows 640 pixels. */
const views = [
  { view: 'light', width: 1280, colorScheme: 'light', look: checkPage },
  { view: 'dark on a phone', width: 390, colorScheme: 'dark', look: checkPage },
  { view: 'dark at 200 %', width: 640, colorScheme: 'dark', look: fits },
  { view: 'light on a phone', width: 390, colorScheme: 'light', look: fits },
] as const;

/** Checks the page as it is drawn now, in both colour schemes and at each width. */
export async function checkForEverybody(page: Page, name: string): Promise<void> {
  for (const { view, width, colorScheme, look } of views) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await look(page, `${name}, ${view}`);
  }
}

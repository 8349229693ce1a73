import chromium from '@sparticuz/chromium';
import { chromium as browsers, type Browser } from 'playwright-core';

/** A real Chromium, which brings the libraries that it needs. `CHROMIUM_PATH` names another browser. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await chromium.executablePath());
  return browsers.launch({ executablePath, args: chromium.args, headless: true });
}

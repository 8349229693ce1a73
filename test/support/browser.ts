import chromium from '@sparticuz/chromium';
import { chromium as browsers, type Browser } from 'playwright-core';
import { oneFileAtATime } from './test-database.js';

/** It takes a file that is there for a whole one, also while another process still writes it. */
const unpacked = () => oneFileAtATime('chromium', () => chromium.executablePath());

/** A real Chromium, which brings the libraries that it needs. `CHROMIUM_PATH` names another browser. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await unpacked());
  return browsers.launch({ executablePath, args: chromium.args, headless: true });
}

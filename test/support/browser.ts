import chromium from '@sparticuz/chromium';
import { chromium as browsers, type Browser } from 'playwright-core';
import { oneFileAtATime } from './test-database.js';

/** The package takes an existing file for a complete one, even while another process still writes it. */
const unpacked = () => oneFileAtATime('chromium', () => chromium.executablePath());

/** Opens a real Chromium with its own libraries. `CHROMIUM_PATH` names another browser. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await unpacked());
  return browsers.launch({ executablePath, args: chromium.args, headless: true });
}

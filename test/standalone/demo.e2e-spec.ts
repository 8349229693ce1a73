import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { Atelier, run } from './support/atelier.js';
import { temporaryHome } from './support/home.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());
const folder = mkdtempSync(join(tmpdir(), 'atelier-demo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run demo', () => {
  const demo = () => run('apps/standalone/src/demo.js', [], home.path, { cwd: folder });

  async function expectAPicture(stdout: string): Promise<void> {
    const path = /^Picture: (demo-output\/\S+)/m.exec(stdout)?.[1] ?? 'none';
    const { width, height } = await sharp(readFileSync(join(folder, path))).metadata();
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(512);
    await sharp(join(folder, path)).stats();
  }

  it('starts what is not running, draws a picture, shows the ledger and stops again', async () => {
    const { code, stdout, stderr } = await demo();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/queued[^]+stage[^]+succeeded/);
    expect(stdout).toContain('/v1/product-to-model-direct');
    expect(stdout).toContain('Balance: 990 credits, which is the sum of the ledger.');
    await expectAPicture(stdout);
    expect(readdirSync(home.path)).not.toContain('runtime.json');
  });

  it('uses what runs, a second time', async () => {
    const atelier = await Atelier.start(home.path);
    try {
      expect(atelier.output().stdout).toContain('sk_test_');
      const { code, stdout, stderr } = await demo();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Using the running service at ${atelier.baseUrl}.`);
      expect(stdout).toContain('Balance: 990 credits');
      await expectAPicture(stdout);
      expect((await atelier.get('/health/live')).status).toBe(200);
    } finally {
      await atelier.stop();
    }
  });
});

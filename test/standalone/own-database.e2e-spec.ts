import { testMasterKey, testSigningKey } from '../support/signing-key.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { createTestDatabase } from '../support/test-database.js';
import { Atelier } from './support/atelier.js';
import { runCommand } from '../support/command.js';
import { temporaryHome } from './support/home.js';
import { untilEnd } from '../support/until-end.js';

const home = untilEnd(temporaryHome());
const database = await createTestDatabase();
afterAll(() => database.drop());
const settings = {
  DATABASE_URL: database.url,
  ATELIER_SIGNING_KEY: testSigningKey,
  ATELIER_MASTER_KEY: testMasterKey,
};
const command = (...args: string[]) => runCommand([...args, '--json'], home.path, { env: settings });

describe("a PostgreSQL server of the operator's own", () => {
  it('is brought up to date by a verb, as often as one likes', async () => {
    // The first call publishes 30 built-in presets in each of the two environments, the second call none.
    for (const presets of [60, 0]) {
      const { code, stdout, stderr } = await command('migrate');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({ migrated: true, presets_published: presets });
    }
  });

  it('takes commands while no role runs, with a hint that nothing shows them yet', async () => {
    const opening = ['--name', 'A', '--credits', '5', '--env', 'live'];
    const { code, stdout, stderr } = await command('tenants', 'create', ...opening);
    expect(code).toBe(0);
    expect(stderr).toMatch(/is still behind: is a projector running/);
    expect(JSON.parse(stdout)).toMatchObject({ balances: { live: 5 } });
  });

  it('is told from a healthy service by the doctor', async () => {
    const { code, stdout } = await command('doctor');
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { name: string; ok: boolean }[] };
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const well = [
      'database',
      'connections',
      'event store',
      'event store settings',
      'log',
      'open charges',
      'seals',
      'last audit',
      'writers',
      'personal words',
      'time-stamps of pictures',
      'head of the seals',
    ];
    expect(checks.filter((check) => check.ok).map(({ name }) => name)).toEqual(well);
  });

  it('serves npm start, which makes no demo tenant in it and leaves it running', async () => {
    const atelier = await Atelier.start(home.path, settings);
    expect(atelier.output().stdout).not.toContain('sk_test_');
    expect((await atelier.get('/health/ready')).status).toBe(200);
    const { code, stderr } = await atelier.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(home.path, 'postgres'))).toBe(false);

    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ type: string }>(
      `select type from event_store.events where type not in ('PresetPublished', 'RangeSealed') order by position`,
    );
    await client.end();
    // The events of the command above, including its author, and the operator of this home.
    const asked = ['ActionRequested', 'AccountOpened', 'CreditsPurchased', 'ActionEnded'];
    expect(rows.map(({ type }) => type)).toEqual([...asked, 'OperatorAdded']);
  });
});

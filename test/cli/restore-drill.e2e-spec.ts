import { testSigningKey } from '../support/signing-key.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { seedHistory } from '../bench/history.js';
import { runCommand } from '../support/command.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { temporaryHome } from '../standalone/support/home.js';

const home = temporaryHome();
let fixture: ReadStoreFixture;
const databases: TestDatabase[] = [];
const backup = () => join(home.path, 'backup.ndjson');

beforeAll(async () => {
  fixture = await ReadStoreFixture.create();
  await seedHistory(fixture.store, 25);
  expect((await atelier('events', 'export', '--output', backup())).code).toBe(0);
});

afterAll(async () => {
  for (const database of databases) await database.drop();
  await fixture?.dispose();
  await home[Symbol.asyncDispose]();
});

const atelier = (...args: string[]) =>
  runCommand(args, home.path, {
    env: { DATABASE_URL: fixture.url, URL_SIGNING_SECRET: 'x', ATELIER_SIGNING_KEY: testSigningKey },
  });

async function drilled(file: string, ...args: string[]) {
  const { code, stdout, stderr } = await atelier('restore-drill', file, ...args, '--json');
  return { code, stderr, report: stdout ? (JSON.parse(stdout) as Record<string, unknown>) : undefined };
}

async function scratch(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
}

function altered(name: string, change: (lines: string[]) => void): string {
  const lines = readFileSync(backup(), 'utf8').split('\n');
  change(lines);
  const file = join(home.path, name);
  writeFileSync(file, lines.join('\n'));
  return file;
}

describe('atelier restore-drill', () => {
  it('restores an export on a server of its own, folds and audits it', async () => {
    const { code, stdout } = await atelier('restore-drill', backup());
    expect(stdout).toContain('All holds: this backup can be restored.');
    expect(stdout).toMatch(/^265 events were restored in [\d.]+ s: 265 of 95 streams, and 0 seals\./);
    expect(code).toBe(0);
  });

  it('says what does not hold, and ends with an error', async () => {
    const database = await scratch();
    const generous = altered('generous.ndjson', (lines) => {
      const debit = lines.findIndex((line) => line.includes('"CreditsDebited"'));
      lines[debit] = lines[debit]!.replace('"amount":5', '"amount":4');
    });
    const { code, stderr, report } = await drilled(generous, '--scratch', database.url);
    expect(code).toBe(1);
    expect(stderr).toContain('does not restore to what was');
    expect(report).toMatchObject({
      holds: false,
      wrong: expect.arrayContaining([expect.stringMatching(/^charges: /)]),
    });
    // The first drill left data there, so a second drill refuses the database.
    const again = await drilled(backup(), '--scratch', database.url);
    expect(again.stderr).toContain('give an empty one');
  });

  it('names the line that is not one of an export', async () => {
    const database = await scratch();
    const torn = altered('torn.ndjson', (lines) => {
      lines[100] = lines[100]!.slice(0, 60);
    });
    const { code, stderr } = await drilled(torn, '--scratch', database.url);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('look at line 101') });
    const missing = await atelier('restore-drill', join(home.path, 'nothing.ndjson'));
    expect(missing.stderr).toContain('is no file');
  });

  it('is made of what "events copy" restores from, too', async () => {
    const database = await scratch();
    const { code, stdout } = await atelier(
      'events',
      'copy',
      '--from',
      backup(),
      '--to',
      database.url,
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verified: true, copied: 265, from: backup() });
  });
});

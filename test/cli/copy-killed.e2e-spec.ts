import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { streamName } from '#domain/streams.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { readModels } from '#projections/read-models.js';
import { queued, stageCompleted } from '#projections/testing/stories.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { newEvent as domainEvent } from '#read-store/testing/read-store-fixture.js';
import { newEvent } from '../event-store/harness.js';
import { Peer } from '../eventstoredb/peer/peer.js';
import { eventually } from '../support/eventually.js';
import { testKeys, testMasterKey, testSigningKey } from '../support/signing-key.js';
import { tablesWith } from '../support/tables-with.js';
import { eventStoreTemplate } from '../support/postgres-event-store-harness.js';
import { createTestDatabase } from '../support/test-database.js';
import { openPostgresStore } from '../support/open-postgres-store.js';

const streams = 500;
const eventsEach = 5;
const events = streams * eventsEach;

const peer = await new Peer().start();
const target = await createTestDatabase();
const source = await createTestDatabase({ template: eventStoreTemplate });
const plain = await createTestDatabase({ template: eventStoreTemplate });
const encrypted = await createTestDatabase();
afterAll(async () => {
  peer.stop();
  for (const database of [target, source, plain, encrypted]) await database.drop();
});

describe('a copy that is killed in the middle', () => {
  beforeAll(async () => {
    const store = openPostgresStore(source.url);
    // Writes in rounds, so that the events of each stream lie far apart in the log.
    for (let round = 0; round < eventsEach; round++) {
      const expected = round === 0 ? 'no-stream' : BigInt(round - 1);
      const append = (_: unknown, n: number) =>
        store.append(`stream-${n}`, expected, [newEvent({ round, n, padding: 'x'.repeat(300) })]);
      await Promise.all(Array.from({ length: streams }, append));
    }
    await store.close();
  });

  it.each([
    ['PostgreSQL', () => target.url, eventsInPostgres],
    ['EventStoreDB', () => peer.url, async () => peer.log.events.length],
  ])('goes on in %s when it is run again, and ends verified', async (_store, to, eventsThere) => {
    const settings = { ATELIER_COPY_FROM: source.url, ATELIER_COPY_TO: to() };
    for (const share of [0.1, 0.3]) {
      const { child, ended } = startCopy(settings);
      await eventually(async () => expect(await eventsThere()).toBeGreaterThan(events * share));
      child.kill('SIGKILL');
      // Null means that SIGKILL ended it; no handler can run after that signal.
      expect((await ended).code).toBeNull();
    }
    const { code, stdout } = await startCopy(settings).ended;
    const result = JSON.parse(stdout) as { verified: boolean; copied: number; target: { events: number } };
    expect({ code, verified: result.verified, events: result.target.events }).toEqual({
      code: 0,
      verified: true,
      events,
    });
    // The last run found what the killed ones had left.
    expect(result.copied).toBeLessThanOrEqual(events * 0.7);
  });
});

describe('a copy that encrypts and is killed in the middle', () => {
  const words = ['Annabel', 'Bertrand', 'Clothilde', 'Dorothea'];
  const tenant = 'acme';
  const jobs = Array.from({ length: 150 }, (_, n) => `job-${n}`);

  it('leaves no plain word and no event without its key, and ends verified', async () => {
    const urls = { eventStoreUrl: plain.url, databaseUrl: plain.url };
    await migrateReadStore(plain.url, readModels);
    {
      await using written = await openEventStore(urls, { proof: testKeys.proof });
      for (const [n, word] of words.entries())
        await Promise.all(
          jobs.map((id) => {
            const event =
              n === 0
                ? queued(id, tenant, { displayName: word })
                : { ...stageCompleted, data: { ...stageCompleted.data, message: word } };
            const expected = n === 0 ? 'no-stream' : BigInt(n - 1);
            return written.store.append(streamName('live', 'job', id), expected, [
              domainEvent(event, tenant),
            ]);
          }),
        );
    }
    const settings = {
      DATABASE_URL: plain.url,
      EVENT_STORE_URL: plain.url,
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_COPY_TO: encrypted.url,
    };
    const all = jobs.length * words.length;
    for (const share of [0.1, 0.4]) {
      const { child, ended } = startCopy(settings, '--seal');
      await eventually(async () => expect(await eventsIn(encrypted.url)).toBeGreaterThan(all * share));
      child.kill('SIGKILL');
      expect((await ended).code).toBeNull();
    }
    const { code, stdout } = await startCopy(settings, '--seal').ended;
    const result = JSON.parse(stdout) as { verified: boolean; copied: number; sealed: number };
    expect({ code, ...result }).toMatchObject({ code: 0, verified: true, target: { events: all } });
    expect(result.copied).toBeLessThanOrEqual(all * 0.6);

    const found = new pg.Pool({ connectionString: encrypted.url, max: 1 });
    for (const word of words) expect(await tablesWith(found, word)).toEqual([]);
    await found.end();
    await using opened = await openEventStore({ ...urls, eventStoreUrl: encrypted.url }, testKeys);
    for (const id of jobs) {
      const slice = await opened.store.readStream(streamName('live', 'job', id));
      const events = slice.kind === 'found' ? slice.events : [];
      expect(words.map((word, n) => JSON.stringify(events[n]?.data).includes(word))).toEqual(
        words.map(() => true),
      );
    }
  });
});

const eventsInPostgres = () => eventsIn(target.url);

/** In the first moments of a copy there is no table yet. */
async function eventsIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>('select count(*) from event_store.events');
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}

function startCopy(settings: NodeJS.ProcessEnv, ...more: string[]) {
  const main = join(process.cwd(), 'dist', 'capabilities', 'operate', 'main.js');
  const child = spawn(process.execPath, [main, 'events', 'copy', '--json', ...more], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout }));
  return { child, ended };
}

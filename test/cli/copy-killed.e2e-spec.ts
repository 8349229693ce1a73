import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { newEvent } from '../event-store/harness.js';
import { Peer } from '../eventstoredb/peer/peer.js';
import { eventually } from '../support/eventually.js';
import { eventStoreTemplate } from '../support/postgres-event-store-harness.js';
import { createTestDatabase } from '../support/test-database.js';
import { openPostgresStore } from '../support/open-postgres-store.js';

const streams = 500;
const eventsEach = 5;
const events = streams * eventsEach;

const peer = await new Peer().start();
const target = await createTestDatabase();
const source = await createTestDatabase({ template: eventStoreTemplate });
afterAll(async () => {
  peer.stop();
  await target.drop();
  await source.drop();
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
    for (const share of [0.1, 0.3]) {
      const { child, ended } = startCopy(to());
      await eventually(async () => expect(await eventsThere()).toBeGreaterThan(events * share));
      child.kill('SIGKILL');
      // Null means that SIGKILL ended it; no handler can run after that signal.
      expect((await ended).code).toBeNull();
    }
    const { code, stdout } = await startCopy(to()).ended;
    const result = JSON.parse(stdout) as { verified: boolean; copied: number; target: { events: number } };
    expect({ code, verified: result.verified, events: result.target.events }).toEqual({
      code: 0,
      verified: true,
      events,
    });
    // The last run found what the killed ones had left.
    expect(result.copied).toBeLessThanOrEqual(events * 0.7);
  });

  async function eventsInPostgres(): Promise<number> {
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    try {
      // The copy makes the table.
      const { rows } = await client.query<{ count: string }>('select count(*) from event_store.events');
      return Number(rows[0]?.count);
    } finally {
      await client.end();
    }
  }

  function startCopy(to: string) {
    const main = join(process.cwd(), 'dist', 'capabilities', 'operate', 'main.js');
    const child = spawn(process.execPath, [main, 'events', 'copy', '--json'], {
      env: { PATH: process.env['PATH'], ATELIER_COPY_FROM: source.url, ATELIER_COPY_TO: to },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout }));
    return { child, ended };
  }
});

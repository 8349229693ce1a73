import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { isAlive } from '#platform/processes.js';
import { expectUnbroken, newEvent } from '../../../../test/event-store/harness.js';
import { eventually } from '../../../../test/support/eventually.js';
import type { RecordedEvent } from '../event-store.js';
import { createEventStorePool, PostgresEventStore } from './postgres-event-store.js';
import { migrateEventStore } from './schema.js';

const folder = mkdtempSync(join(tmpdir(), 'atelier-crash-'));
const place = { dataDirectory: join(folder, 'postgres'), logFile: join(folder, 'postgres.log') };

afterAll(async () => {
  await stopEmbeddedPostgres(place.dataDirectory);
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Kills the server's process, which the first line of postmaster.pid names, and waits until it is gone.
 * Otherwise the next start would take it for a running server.
 */
async function killServer(): Promise<void> {
  const pid = Number(readFileSync(join(place.dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGKILL');
  await eventually(() => !isAlive(pid));
}

describe('the event store, when its server is killed', () => {
  it('has every event that it answered for, once and in order, and its subscriptions go on', async () => {
    const server = await startEmbeddedPostgres(place);
    const pool = createEventStorePool(server.url);
    await migrateEventStore(pool);
    const store = new PostgresEventStore({ pool, deadlineMs: 30_000 });

    const answered: string[] = [];
    let writing = true;
    const write = async (stream: string) => {
      for (let expected: bigint | 'no-stream' = 'no-stream'; writing;) {
        const event = newEvent();
        const result = await store.append(stream, expected, [event]);
        if (result.outcome !== 'appended') throw new Error(`Nobody else writes to ${stream}`);
        answered.push(event.id);
        expected = result.revision;
      }
    };
    const writers = Promise.all(Array.from({ length: 16 }, (_, n) => write(`s-${n}`)));

    const delivered: RecordedEvent[] = [];
    const ending = new AbortController();
    const reading = (async () => {
      for await (const { events } of store.subscribe({ signal: ending.signal })) delivered.push(...events);
    })();

    for (let crash = 0; crash < 2; crash++) {
      const before = answered.length;
      await eventually(() => answered.length >= before + 100);
      await killServer();
      await startEmbeddedPostgres(place);
    }
    const before = answered.length;
    await eventually(() => answered.length >= before + 100);
    writing = false;
    await writers;
    await eventually(() => delivered.length >= answered.length);
    ending.abort();
    await reading;

    expectUnbroken(delivered);
    expect(delivered.map(({ id }) => id).toSorted()).toEqual(answered.toSorted());
    expect(await store.head()).toBe(BigInt(answered.length));
    await store.close();
    await pool.end();
  });
});

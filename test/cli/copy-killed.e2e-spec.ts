import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newEvent } from '#event-store/conformance/harness.js';
import { createPostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { Peer } from '../eventstoredb/peer/peer.js';
import { eventStoreTemplate } from '../support/postgres-event-store-harness.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

jest.setTimeout(120_000);

const streams = 1_000;
const eventsEach = 5;

describe('a copy that is killed in the middle', () => {
  const peer = new Peer();
  let source: TestDatabase;
  let target: TestDatabase;
  beforeAll(async () => {
    await peer.start();
    target = await createTestDatabase();
    source = await createTestDatabase({ template: eventStoreTemplate });
    const store = createPostgresEventStore({ connection: { url: source.url } });
    // Round by round, so that the events of each stream lie far apart in the log.
    for (let round = 0; round < eventsEach; round++) {
      const expected = round === 0 ? 'no-stream' : BigInt(round - 1);
      const append = (_: unknown, n: number) =>
        store.append(`stream-${n}`, expected, [newEvent({ round, n, padding: 'x'.repeat(300) })]);
      await Promise.all(Array.from({ length: streams }, append));
    }
    await store.close();
  });
  afterAll(async () => {
    peer.stop();
    await target.drop();
    await source.drop();
  });

  it.each([
    ['PostgreSQL', () => target.url],
    ['EventStoreDB', () => peer.url],
  ])('goes on in %s when it is run again, and ends verified', async (_store, to) => {
    const copied: number[] = [];
    for (let killAfterMs = 700; ; killAfterMs += 400) {
      const { code, stdout } = await copy(to(), killAfterMs);
      if (code === null) continue;
      const result = JSON.parse(stdout) as { verified: boolean; copied: number; target: { events: number } };
      expect({ code, verified: result.verified, events: result.target.events }).toEqual({
        ...{ code: 0, verified: true, events: streams * eventsEach },
      });
      copied.push(result.copied);
      break;
    }
    // The last run found what the killed ones had left.
    expect(copied[0]).toBeLessThan(streams * eventsEach);
  });

  /** Code null: it was killed, by the signal that leaves no time for anything. */
  async function copy(to: string, killAfterMs: number): Promise<{ code: number | null; stdout: string }> {
    const main = join(process.cwd(), 'dist', 'apps', 'cli', 'src', 'main.js');
    const child = spawn(process.execPath, [main, 'events', 'copy', '--json'], {
      env: { PATH: process.env['PATH'], ATELIER_COPY_FROM: source.url, ATELIER_COPY_TO: to },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const ended = once(child, 'close') as Promise<[number | null]>;
    const killing = new AbortController();
    const killed = sleep(killAfterMs, undefined, { signal: killing.signal })
      .then(() => child.kill('SIGKILL'))
      .catch(() => undefined);
    const [code] = await ended;
    killing.abort();
    await killed;
    return { code, stdout };
  }
});

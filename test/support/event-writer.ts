import { randomUUID } from 'node:crypto';
import { openPostgresStore } from './open-postgres-store.js';

/**
 * Appends to an event store from a process of its own, for tests in which several processes write to one log.
 * Run it as `node event-writer.js URL PREFIX STREAMS EVENTS`. It appends that many events to each stream, one
 * by one, each at the revision after the last.
 */
const [url = '', prefix = '', streams, eventsEach] = process.argv.slice(2);
const store = openPostgresStore(url);

async function write(stream: string): Promise<void> {
  let expected: bigint | 'no-stream' = 'no-stream';
  for (let n = 0; n < Number(eventsEach); n++) {
    const metadata = {
      requestId: '01JZZZZZZZZZZZZZZZZZZZZZZZ',
      causationId: '01JZZZZZZZZZZZZZZZZZZZZZZZ',
      tenant: 'conformance',
      actor: `worker:${process.pid}`,
      schemaVersion: 1,
      recordedAt: new Date().toISOString(),
    };
    const result = await store.append(stream, expected, [
      { id: randomUUID(), type: 'WrittenElsewhere', data: { n }, metadata },
    ]);
    if (result.outcome !== 'appended') throw new Error(`Somebody else wrote to ${stream}`);
    expected = result.revision;
  }
}

await Promise.all(Array.from({ length: Number(streams) }, (_, n) => write(`${prefix}${n}`)));
await store.close();

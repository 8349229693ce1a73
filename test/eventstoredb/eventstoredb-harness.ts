import type { EventStoreHarness } from '../event-store/harness.js';
import { writeElsewhere } from '../event-store/write-elsewhere.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { Peer } from './peer/peer.js';

/**
 * The adapter on the peer, or on the real node that `EVENTSTOREDB_URL` names. A proxy between the two can break
 * the connection. Nothing is deleted on a real node: the suite's stream names are unique.
 */
export async function startEventStoreDbHarness(): Promise<EventStoreHarness> {
  const given = process.env['EVENTSTOREDB_URL'];
  const peer = given ? undefined : await new Peer().start();
  const url = given ?? peer!.url;
  const { host, port } = /@?(?<host>[^@/:?]+):(?<port>\d+)/.exec(url)!.groups!;
  const proxy = await startTcpProxy(Number(port));
  const disturbed = disturbable(url, host!, Number(port))
    ? url.replace(`${host}:${port}`, `127.0.0.1:${proxy.port}`)
    : undefined;
  return {
    open: (options) => new EventStoreDbEventStore({ connectionString: url, ...options }),
    ...(disturbed && {
      faults: {
        open: (options = {}) => new EventStoreDbEventStore({ connectionString: disturbed, ...options }),
        holdAnswers: proxy.holdAnswers,
        cut: proxy.cut,
        refuse: proxy.refuse,
        restore: proxy.restore,
      },
    }),
    writeElsewhere: async (job) => void (await writeElsewhere(url, job)),
    async close() {
      await proxy.close();
      peer?.stop();
    },
  };
}

/** The proxy reaches only ports of this machine, and works with neither TLS nor discovery. */
function disturbable(url: string, host: string, port: number): boolean {
  return (
    ['127.0.0.1', 'localhost'].includes(host) &&
    port > 0 &&
    url.startsWith('esdb://') &&
    /tls=false/.test(url)
  );
}

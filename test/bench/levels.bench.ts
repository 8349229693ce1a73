import { prepareAtelier } from './atelier.js';
import { dispatchLoad } from './load.js';
import { tell } from './results.js';

const tenants = 64;
const connections = 64;
const seconds = 15;
const shares = [0.5, 0.8, 1];

/**
 * How long a caller waits while the service does half, four fifths and all of what it can. It can do what it did at once
 * before, as fast as the connections allowed.
 */
export async function benchLevels(serverUrl: string): Promise<void> {
  const { url, keys, stop } = await prepareAtelier(serverUrl, tenants);
  const load = { url, keys, connections, seconds };
  const rows: (string | number)[][] = [];
  try {
    await dispatchLoad(load);
    const { perSecond: most } = await dispatchLoad(load);
    for (const share of shares) {
      const rate = most * share;
      const { perSecond, p50Ms, p99Ms, p999Ms, refused } = await dispatchLoad({ ...load, rate });
      rows.push([`${share * 100} %`, rate.toFixed(0), perSecond.toFixed(0), p50Ms, p99Ms, p999Ms, refused]);
    }
  } finally {
    await stop();
  }
  const head = ['load', 'due a second', 'done a second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'not 202'];
  tell({ title: `Latency by load, ${tenants} tenants, ${connections} connections`, head, rows });
}

import autocannon from 'autocannon';

interface Load {
  readonly url: string;
  /** Connections take the keys in turn. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly dispatches: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
}

const bodyWith = (seed: number) => JSON.stringify({ gender: 'FEMALE', seed });

/** A single dispatch. */
export function dispatchOne(url: string, key: string, seed = 7): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}/v1/model-generator`, { method: 'POST', headers, body: bodyWith(seed) });
}

/** Dispatches as fast as the connections allow; only answers of 202 count as dispatches. */
export async function dispatchLoad({ url, keys, connections, seconds }: Load): Promise<LoadResult> {
  let next = 0;
  const result = await autocannon({
    url: `${url}/v1/model-generator`,
    method: 'POST',
    body: bodyWith(7),
    connections,
    duration: seconds,
    setupClient: (client) =>
      client.setHeaders({
        'content-type': 'application/json',
        authorization: `Bearer ${keys[next++ % keys.length]}`,
      }),
  });
  return {
    dispatches: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refused: result.non2xx + result.errors,
  };
}

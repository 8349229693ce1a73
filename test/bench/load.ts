import autocannon from 'autocannon';

interface Load {
  readonly url: string;
  /** Connections take the keys in turn. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /**
   * Dispatches a second. A latency then counts from the moment that the dispatch was due. Default: as many as the connections
   * allow.
   */
  readonly rate?: number;
}

export interface LoadResult {
  readonly dispatches: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly refused: number;
}

const bodyWith = (seed: number) => JSON.stringify({ gender: 'FEMALE', seed });

/** A single dispatch. */
export function dispatchOne(url: string, key: string, seed = 7): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}/v1/model-generator`, { method: 'POST', headers, body: bodyWith(seed) });
}

/** Dispatches for some seconds; only answers of 202 count as dispatches. */
export async function dispatchLoad({ url, keys, connections, seconds, rate }: Load): Promise<LoadResult> {
  let next = 0;
  const result = await autocannon({
    url: `${url}/v1/model-generator`,
    method: 'POST',
    body: bodyWith(7),
    connections,
    duration: seconds,
    ...(rate !== undefined && { overallRate: Math.round(rate) }),
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
    p999Ms: result.latency.p99_9,
    refused: result.non2xx + result.errors,
  };
}

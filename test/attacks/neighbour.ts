import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownCpuMs } from '../bench/cost.js';
import { quantile } from '../bench/quantiles.js';

interface BodyAttack {
  readonly url: string;
  /** The process that answers. */
  readonly pid: number;
  readonly path: string;
  readonly key: string;
  readonly body: string;
  readonly neighboursKey: string;
  /** At most the number that one key may send in a minute. */
  readonly requests: number;
  readonly forMs: number;
}

const atATime = 4;
const lookEveryMs = 10;

/**
 * Sends the body again and again, four at a time, while a neighbour reads its credits.
 * @returns the neighbour's times, the CPU time of the process for each request of either, and how many requests of
 * the attack were answered with each status
 */
export async function sendAndLook(attack: BodyAttack) {
  const { url, path, key, body, neighboursKey, forMs } = attack;
  const agent = new Agent({ keepAlive: true });
  const answered: Record<number, number> = {};
  const times: number[] = [];
  const deadline = performance.now() + forMs;
  let left = attack.requests;
  const post = async () => {
    while (left-- > 0 && performance.now() < deadline) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const status = await ask(`${url}${path}`, { agent, headers, method: 'POST' }, body);
      answered[status] = (answered[status] ?? 0) + 1;
    }
  };
  const attackers = Promise.all(Array.from({ length: atATime }, post));
  const usedBefore = ownCpuMs(attack.pid);
  let over = false;
  void attackers.then(() => (over = true));
  while (!over) {
    const startedAt = performance.now();
    await ask(`${url}/v1/credits`, { agent, headers: { authorization: `Bearer ${neighboursKey}` } });
    times.push(performance.now() - startedAt);
    await sleep(lookEveryMs);
  }
  await attackers;
  agent.destroy();
  const requests = Object.values(answered).reduce((sum, count) => sum + count, times.length);
  return {
    p95Ms: quantile(times, 0.95),
    maxMs: quantile(times, 1),
    cpuMs: (ownCpuMs(attack.pid) - usedBefore) / requests,
    answered,
  };
}

type Options = Parameters<typeof request>[1];

/** @returns the status; 0: the connection was cut */
function ask(url: string, options: Options, body?: string): Promise<number> {
  return new Promise((resolve) => {
    request(url, options, (response) =>
      response.resume().once('close', () => resolve(response.statusCode ?? 0)),
    )
      .once('error', () => resolve(0))
      .end(body);
  });
}

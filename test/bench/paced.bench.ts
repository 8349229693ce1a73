import { setTimeout as sleep } from 'node:timers/promises';
import { startRole } from '../support/role-process.js';
import { prepareAtelier } from './atelier.js';
import { quantiles } from './quantiles.js';

const perSecond = 100;
const seconds = 20;

/**
 * How long a caller waits for the 202 when dispatches come at a steady pace, with a worker that renders on the same
 * machine and without. Requests are sent by the clock and not when the last one was answered, so that a slow answer
 * also counts for those that had to wait behind it.
 */
export async function benchPaced(serverUrl: string): Promise<void> {
  const atelier = await prepareAtelier(serverUrl, 1);
  try {
    await pace(atelier.url, atelier.keys[0]!, 3);
    console.log(`${perSecond} dispatches a second, idle workers: ms ${await measured()}`);
    const worker = await startRole('apps/worker/src/main.js', atelier.settings);
    try {
      await sleep(2_000);
      console.log(`${perSecond} dispatches a second, rendering beside: ms ${await measured()}`);
    } finally {
      await worker.stop();
    }
  } finally {
    await atelier.stop();
  }

  async function measured(): Promise<string> {
    return quantiles(await pace(atelier.url, atelier.keys[0]!, seconds));
  }
}

/** @returns how long each answer took in milliseconds, from the moment that it was due to be sent */
async function pace(url: string, key: string, forSeconds: number): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const startedAt = performance.now();
  const answers = Array.from({ length: perSecond * forSeconds }, async (_, place) => {
    const due = startedAt + (place * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    const body = JSON.stringify({ gender: 'FEMALE', seed: place });
    const response = await fetch(`${url}/v1/model-generator`, { method: 'POST', headers, body });
    await response.text();
    if (response.status !== 202) throw new Error(`a dispatch was answered ${response.status}`);
    return performance.now() - due;
  });
  return Promise.all(answers);
}

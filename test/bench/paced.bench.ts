import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { walkLog } from '#event-store/walk-log.js';
import type { EventStore } from '#event-store/event-store.js';
import { sealStream } from '#capabilities/seals/seal.events.js';
import type { Seal } from '#capabilities/seals/seal.js';
import { startRole } from '../support/role-process.js';
import { prepareAtelier } from './atelier.js';
import { dispatchOne } from './load.js';
import { tellTimes } from './results.js';

const seconds = 20;
/** Rendering takes most of the machine, so dispatches come more slowly then. */
const perSecond = { alone: 300, rendering: 100 };
/** One in so many dispatches is read at once by its caller. Another one is polled in its table until it is there. */
const lookedFor = 10;

/**
 * Measures three times at a steady pace of dispatches: how long a caller waits for the 202, how long a read of the job right
 * after it takes, and after how long the read model has a job that no caller reads. Then a worker renders on the same
 * machine, and the 202 is measured again. A clock sends the requests, without waiting for the last answer, so a slow answer
 * also counts for the requests queued behind it.
 */
export async function benchPaced(serverUrl: string): Promise<void> {
  const atelier = await prepareAtelier(serverUrl, 1);
  const reader = new Pool({ connectionString: atelier.databaseUrl, max: 4 });
  try {
    await pace(atelier.url, atelier.keys[0]!, 3, perSecond.alone);
    const visible: Promise<number>[] = [];
    const reads: Promise<number>[] = [];
    const waits = await pace(atelier.url, atelier.keys[0]!, seconds, perSecond.alone, (jobId, place) => {
      if (place % lookedFor === 0) reads.push(untilRead(jobId));
      if (place % lookedFor === lookedFor / 2) visible.push(untilVisible(jobId));
    });
    tellTimes(`At ${perSecond.alone} dispatches a second, with idle workers`, {
      'due → 202': waits,
      '202 → answer to a read at once': await Promise.all(reads),
      '202 → in the table, unread': await Promise.all(visible),
      'appended → sealed': await sealingDelays(atelier.store),
    });
    const worker = await startRole('apps/worker/src/main.js', atelier.settings);
    try {
      await sleep(2_000);
      const beside = await pace(atelier.url, atelier.keys[0]!, seconds, perSecond.rendering);
      tellTimes(`At ${perSecond.rendering} dispatches a second, rendering beside`, { 'due → 202': beside });
    } finally {
      await worker.stop();
    }
  } finally {
    await reader.end();
    await atelier.stop();
  }

  async function untilRead(jobId: string): Promise<number> {
    const answeredAt = performance.now();
    const headers = { authorization: `Bearer ${atelier.keys[0]}` };
    const answer = await fetch(`${atelier.url}/v1/jobs/${jobId}`, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a read was answered ${answer.status}`);
    return performance.now() - answeredAt;
  }

  async function untilVisible(jobId: string): Promise<number> {
    const answeredAt = performance.now();
    const look = { name: 'look', text: 'select from live.jobs where public_id = $1', values: [jobId] };
    while ((await reader.query(look)).rowCount === 0) await sleep(1);
    return performance.now() - answeredAt;
  }
}

/** @returns the milliseconds of each answer, from the moment that its request was due */
export async function pace(
  url: string,
  key: string,
  forSeconds: number,
  each: number,
  onAnswer: (jobId: string, place: number) => void = () => undefined,
): Promise<number[]> {
  const startedAt = performance.now();
  const answers = Array.from({ length: each * forSeconds }, async (_, place) => {
    const due = startedAt + (place * 1000) / each;
    await sleep(Math.max(0, due - performance.now()));
    const response = await dispatchOne(url, key, place);
    const { job_id: jobId } = (await response.json()) as { job_id: string };
    if (response.status !== 202) throw new Error(`a dispatch was answered ${response.status}`);
    onAnswer(jobId, place);
    return performance.now() - due;
  });
  return Promise.all(answers);
}

/** The milliseconds from the recording of each event to the signing of its seal. */
async function sealingDelays(store: EventStore): Promise<number[]> {
  await sleep(2_000);
  const waiting: number[] = [];
  const delays: number[] = [];
  const walk = { through: await store.head(), signal: new AbortController().signal };
  for await (const { events } of walkLog(store, walk)) {
    for (const { stream, metadata, data } of events) {
      const at = Date.parse(metadata.recordedAt);
      if (stream !== sealStream) waiting.push(at);
      else for (const event of waiting.splice(0, (data as Seal).count)) delays.push(at - event);
    }
  }
  return delays;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { streamName } from '#domain/streams.js';
import { prepareAtelier } from './atelier.js';
import { dispatchOne } from './load.js';
import { tellTimes } from './results.js';
import { startRole } from '../support/role-process.js';

const renders = 12;

interface Timeline {
  readonly events: readonly { event_type: string; created_at: string }[];
}

/**
 * Measures one job at a time on one worker, from the 202: until the worker takes the job, until its first stage
 * is visible, and until its picture is.
 */
export async function benchRender(serverUrl: string): Promise<void> {
  const atelier = await prepareAtelier(serverUrl, 1);
  const worker = await startRole('apps/worker/src/main.js', atelier.settings);
  const key = atelier.keys[0]!;
  const toStarted: number[] = [];
  const toFirstStage: number[] = [];
  const toSucceeded: number[] = [];
  try {
    for (let seed = 0; seed <= renders; seed++) {
      const response = await dispatchOne(atelier.url, key, seed);
      const answeredAt = performance.now();
      const clockAt = Date.now();
      const { job_id: jobId } = (await response.json()) as { job_id: string };
      const stageMs = await reach(jobId, 'stage', answeredAt);
      const succeededMs = await reach(jobId, 'succeeded', answeredAt);
      // The first one warms the worker up.
      if (seed === 0) continue;
      const slice = await atelier.store.readStream(streamName('live', 'job', jobId));
      const started = slice.kind === 'found' && slice.events.find(({ type }) => type === 'RenderStarted');
      if (!started) throw new Error(`${jobId} was not taken up`);
      toStarted.push(Date.parse(started.metadata.recordedAt) - clockAt);
      toFirstStage.push(stageMs);
      toSucceeded.push(succeededMs);
    }
  } finally {
    await worker.stop();
    await atelier.stop();
  }
  tellTimes('One job at a time on one worker', {
    '202 → RenderStarted': toStarted,
    '202 → first stage': toFirstStage,
    '202 → succeeded': toSucceeded,
  });

  async function reach(jobId: string, type: string, since: number): Promise<number> {
    for (;;) {
      const url = `${atelier.url}/v1/jobs/${jobId}/events?since=0`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      const { events } = (await response.json()) as Timeline;
      if (events.some((event) => event.event_type === type)) return performance.now() - since;
      await sleep(10);
    }
  }
}

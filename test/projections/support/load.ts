import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ApiClient } from '../../api/support/api-client.js';

export interface LoadResult {
  readonly dispatches: number;
  readonly reads: number;
  /** Calls with a wrong answer. */
  readonly failures: readonly string[];
}

/** Dispatches and reads back its own writes, one after the other, until it is stopped. */
export function startLoad(api: ApiClient, key: string): { stop(): Promise<LoadResult> } {
  let stopped = false;
  let dispatches = 0;
  let reads = 0;
  const failures: string[] = [];
  const expect = (answer: Answer, holds: boolean, what: string) => {
    reads += 1;
    if (answer.status !== 200 || answer.headers.has('x-consistency') || !holds)
      failures.push(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  };
  const round = async () => {
    const sent = await api.post('/v1/model-generator', key, { gender: 'FEMALE', seed: dispatches });
    if (sent.status !== 202) {
      failures.push(`dispatch answered ${sent.status}`);
      return;
    }
    dispatches += 1;
    const job: string = sent.body.job_id;
    const request: string = sent.body.request_id;
    const [jobs, events, usage, transactions, credits] = await Promise.all(
      [
        '/v1/jobs?limit=1',
        `/v1/jobs/${job}/events`,
        '/v1/usage?limit=1',
        '/v1/transactions?limit=1',
        '/v1/credits',
      ].map((path) => api.get(path, key)),
    );
    const first = (answer: Answer) => answer.body.items?.[0] ?? {};
    expect(jobs!, jobs!.body.jobs?.[0]?.public_id === job, 'jobs');
    expect(events!, events!.body.events?.[0]?.event_type === 'queued', 'events');
    expect(usage!, first(usage!).request_id === request, 'usage');
    expect(transactions!, first(transactions!).id === request, 'transactions');
    expect(credits!, true, 'credits');
  };
  const running = (async () => {
    while (!stopped) {
      await round().catch((error: unknown) => failures.push(String(error)));
      await sleep(5);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return { dispatches, reads, failures };
    },
  };
}

import { streamName, type Environment } from '#domain/streams.js';
import type { Findings } from '../findings.js';
import type { History } from '../history/history.js';
import type { ReadStoreSnapshot } from './read-store-snapshot.js';

/** What was answered 202 has happened. Of dispatches with an Idempotency-Key the answer is kept for a day. */
export async function checkAnswers(
  snapshot: ReadStoreSnapshot,
  environments: readonly Environment[],
  tenant: string | undefined,
  { jobs }: History,
  findings: Findings,
): Promise<void> {
  for (const environment of environments) {
    for (const { jobId, endpoint, key } of await snapshot.keptAnswers(environment, tenant)) {
      findings.checked('answered');
      const found = jobs.state(jobs.number(environment, jobId));
      if (found !== 'unknown' && found !== 'voided') continue;
      findings.wrong({
        check: 'answered',
        message: `${endpoint} was answered with this job under the Idempotency-Key ${JSON.stringify(key)}`,
        stream: streamName(environment, 'job', jobId),
        expected: 'JobQueued',
        found: found === 'unknown' ? 'no such job' : found,
      });
    }
  }
}

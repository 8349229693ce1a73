import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FastifyReply } from 'fastify';
import type { JobQueries } from '#application/job/job-queries.js';
import { createLogger } from '#platform/logger.js';
import { JobWaits } from './job-waits.js';

const caller = { environment: 'live', tenant: 'T', keyId: 'K', capabilities: [] } as const;
const logger = createLogger('test', 'silent');

/** Waits until the signal aborts, as for a job that never ends. */
const endless: Pick<JobQueries, 'end'> = {
  end: (_caller, _jobId, { signal }) =>
    new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
};

function waiting(jobs: Pick<JobQueries, 'end'>) {
  const raw = new EventEmitter();
  // The waits use one method of the queries and the socket of the reply.
  const waits = new JobWaits(jobs as JobQueries, logger);
  const end = waits.forEnd(caller, 'J', 60, { raw } as unknown as FastifyReply);
  return { raw, waits, end };
}

describe('a client that waits for its job', () => {
  it('is waited for no longer once it has gone', async () => {
    const { raw, end } = waiting(endless);
    raw.emit('close');
    await expect(end).resolves.toBeUndefined();
    expect(raw.listenerCount('close')).toBe(0);
  });

  it('is answered at once when the server stops', async () => {
    const { raw, waits, end } = waiting(endless);
    waits.onModuleDestroy();
    await expect(end).resolves.toBeUndefined();
    expect(raw.listenerCount('close')).toBe(0);
  });

  it('gets its job accepted even when the wait fails', async () => {
    const { end } = waiting({ end: () => Promise.reject(new Error('the store is away')) });
    await expect(end).resolves.toBeUndefined();
  });
});

import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { AwaitJob } from '#application/job/job-queries.handler.js';
import { createLogger } from '#platform/logger.js';
import { JobWaits } from './job-waits.js';

const caller = { environment: 'live', tenant: 'T', keyId: 'K', capabilities: [] } as const;
const logger = createLogger('test', 'silent');

/** Waits until the signal aborts, as for a job that never ends. */
const endless = {
  execute: ({ signal }: AwaitJob) =>
    new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
};

function waiting(queries: { execute(query: AwaitJob): Promise<undefined> }) {
  const raw = new EventEmitter();
  // What is used of the bus and of the reply, and nothing else.
  const waits = new JobWaits(queries as unknown as QueryBus, logger);
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
    const { end } = waiting({ execute: () => Promise.reject(new Error('the store is away')) });
    await expect(end).resolves.toBeUndefined();
  });
});

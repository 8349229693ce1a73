import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';

let workshop: Workshop;

beforeAll(async () => {
  workshop = await Workshop.open();
});

afterAll(async () => {
  await workshop[Symbol.asyncDispose]();
});

async function keys(environment: string): Promise<unknown[]> {
  const { rows } = await workshop.query(`select key from ${environment}.idempotency_keys order by key`);
  return (rows as { key: string }[]).map(({ key }) => key);
}

describe('housekeeping', () => {
  it('forgets Idempotency-Keys after a day, in both environments, and no earlier', async () => {
    for (const environment of ['live', 'test']) {
      await workshop.query(
        `insert into ${environment}.idempotency_keys
           (tenant, endpoint, key, body_hash, request_id, job_id, status, locked_until, created_at)
         values ('t', '/v1/x', 'old', 'h', 'r', 'j', 'answered', now(), now() - interval '24 hours 1 minute'),
                ('t', '/v1/x', 'young', 'h', 'r', 'j', 'answered', now(), now() - interval '23 hours 59 minutes')`,
      );
    }
    await workshop.startProjector();
    for (const environment of ['live', 'test']) {
      await eventually(async () => (await keys(environment)).length === 1);
      expect(await keys(environment)).toEqual(['young']);
    }
  });
});

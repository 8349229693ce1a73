import { describe, expect, it } from 'vitest';
import { toNewEvent } from '#application/command-context.js';
import { answerKey } from '#application/render/kept-answers.js';
import type { DomainEvent } from '#domain/events.js';
import { streamName } from '#domain/streams.js';
import { cancelled, queued } from '../../projections/src/testing/stories.js';
import { Workshop } from './support/workshop.js';
import { eventually } from '../support/eventually.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());

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
    const { stop } = await workshop.startProjector();
    for (const environment of ['live', 'test']) {
      await eventually(async () => (await keys(environment)).length === 1);
      expect(await keys(environment)).toEqual(['young']);
    }
    await stop();
  });

  it('removes what vendors answered a day after, once the job has ended, and no earlier', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60_000).toISOString();
    const answers = [
      { jobId: 'old', at: hoursAgo(25), end: true },
      { jobId: 'young', at: hoursAgo(23), end: true },
      { jobId: 'unfinished', at: hoursAgo(25), end: false },
    ];
    const keys: string[] = [];
    for (const { jobId, at, end } of answers) {
      const call = { tenant: 't', jobId, call: 's.1' };
      for (let index = 0; index < 2; index++) {
        keys.push(answerKey('test', call, index));
        await workshop.storage.put(keys.at(-1)!, Buffer.from('answer'), 'application/octet-stream');
      }
      const pictures = [0, 1].map((index) => ({ storageKey: answerKey('test', call, index), sha256: 'ab' }));
      const cost = { latencyMs: 1, units: 2, price: 0.1, currency: 'USD', kept: { pictures } };
      const asked = { step: 's', model: 'm', vendor: 'v', attempt: 1, idempotencyKey: 'k' };
      const events: DomainEvent[] = [
        queued(jobId, 't', { at }),
        { type: 'RenderStarted', data: { attempt: 1, worker: 'w', at } },
        { type: 'EngineCalled', data: { call: 's.1', ...asked, tenant: 't', operation: 'look', at } },
        {
          type: 'EngineAnswered',
          data: { call: 's.1', outcome: 'answered', vendorRequestId: null, ...cost, at },
        },
        ...(end ? [{ ...cancelled, data: { ...cancelled.data, at } }] : []),
      ];
      const written = events.map((event, index) => toNewEvent(event, index, workshop.context('t')));
      await workshop.store.append(streamName('test', 'job', jobId), 'no-stream', written);
    }
    // The first projector folds the events; the next one looks back over days.
    const folding = await workshop.startProjector();
    await workshop.readModelsCaughtUp();
    await folding.stop();
    await workshop.startProjector();
    const left = async () => {
      const there = await Promise.all(
        keys.map((key) =>
          workshop.storage.get(key).then(
            () => [key],
            () => [],
          ),
        ),
      );
      return there.flat();
    };
    await eventually(async () => (await left()).length === 4);
    expect(await left()).toEqual(keys.slice(2));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainEvent } from '#domain/events.js';
import type { StreamCategory } from '#domain/streams.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { readModels } from './read-models.js';
import {
  artifact,
  cancelled,
  debited,
  failed,
  purchased,
  queued,
  refunded,
  renderStarted,
  settled,
  stageCompleted,
  startedAgain,
  succeeded,
} from './testing/stories.js';

type Step = readonly [StreamCategory, string, DomainEvent];

/** Jobs show one garment again and again, as the parents of batches do. */
const garment = { ...artifact('final', 'Jumper'), kind: 'extracted_garment' };
const made = { ...succeeded, data: { ...succeeded.data, artifacts: [artifact('final'), garment] } };

/** The whole life of a job, in one of five ways. */
function life(number: number): Step[] {
  const request = `R${number}`;
  const id = `job-of-${request}`;
  const tenant = `T${number % 2}`;
  const job = (event: DomainEvent): Step => ['job', id, event];
  const charge: Step = ['account', tenant, debited(request, 5, number)];
  const start = [
    charge,
    job(queued(id, tenant, { requestId: request })),
    job(renderStarted),
    job(stageCompleted),
  ];
  const settle: Step = ['account', tenant, settled(request, 5)];
  const refund: Step = ['account', tenant, refunded(request, 5)];
  const ways: Step[][] = [
    [...start, job(made), settle],
    [...start, job(failed), refund],
    [...start, job(startedAgain), job(stageCompleted), job(succeeded), settle],
    [...start.slice(0, 2), job(cancelled), refund],
    start,
  ];
  return ways[number % ways.length]!;
}

let source: ReadStoreFixture;
const targets: ReadStoreFixture[] = [];
let head: bigint;

beforeAll(async () => {
  source = await ReadStoreFixture.create();
  for (const tenant of ['T0', 'T1'])
    await source.append('account', tenant, [purchased(1_000, 0, `pack-of-${tenant}`)]);
  const lives = Array.from({ length: 30 }, (_, number) => life(number));
  // Several jobs at a time, so that neighbouring batches touch the same rows.
  for (let group = 0; group < lives.length; group += 6) {
    const together = lives.slice(group, group + 6);
    for (let step = 0; step < 8; step++) {
      for (const steps of together) {
        const [category, id, event] = steps[step] ?? [];
        if (category && id && event) await source.append(category, id, [event], { tenant: 'acme' });
      }
    }
  }
  head = (await source.store.head())!;
});

afterAll(async () => {
  for (const target of targets) await target.dispose();
  await source.dispose();
});

/** All rows of all read models after a run over the whole history in batches of this size. */
async function rowsAfter(batchSize: number): Promise<Record<string, string[]>> {
  const target = await ReadStoreFixture.create();
  targets.push(target);
  target.start({ readModels, eventStore: source.store, batchSize });
  await target.passed(head);
  const all: Record<string, string[]> = {};
  for (const { name } of readModels) {
    const rows = await target.rows<{ row: string }>(`select row::text from live.${name} row order by 1`);
    all[name] = rows.map(({ row }) => row);
  }
  expect(await target.rows('select from read_store.parked_events')).toEqual([]);
  return all;
}

describe('the read models', () => {
  it('have the same rows, to the letter, however the history falls into batches', async () => {
    const inOne = await rowsAfter(2_000);
    expect(inOne['jobs']).toHaveLength(30);
    expect(inOne['renders']!.length).toBeGreaterThan(12);
    expect(inOne['catalog']).toHaveLength(1);
    for (const batchSize of [1, 2, 7]) expect(await rowsAfter(batchSize)).toEqual(inOne);
  });
});

import type { DomainEvent } from '#domain/events.js';
import type { StreamCategory } from '#domain/streams.js';
import {
  artifact,
  cancelled,
  debited,
  failed,
  purchased,
  queued,
  refunded,
  rejected,
  renderStarted,
  settled,
  stageCompleted,
  succeeded,
} from '#projections/testing/stories.js';
import type { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';

type Step = readonly [category: StreamCategory, id: string, event: DomainEvent];

/** The events of one job; the number selects one of the ways that a job can go. */
function life(number: number): Step[] {
  const tenant = `T${number % 2}`;
  const request = `request-${number}`;
  const id = `job-of-${request}`;
  const job = (event: DomainEvent): Step => ['job', id, event];
  const start: Step[] = [
    ['account', tenant, debited(request, 5)],
    job(queued(id, tenant, { requestId: request, chargeId: request })),
    job(renderStarted),
    job(stageCompleted),
  ];
  const settle: Step = ['account', tenant, settled(request, 5)];
  const refund: Step = ['account', tenant, refunded(request, 5)];
  const picture = { ...artifact('final', `Picture ${number}`), assetId: `asset-${number}` };
  const done = { ...succeeded, data: { ...succeeded.data, artifacts: [picture] } };
  const ways: Step[][] = [
    [...start, job(done), settle],
    [...start, job(failed), refund],
    [...start.slice(0, 2), job(cancelled), refund],
    start,
  ];
  return ways[number % ways.length]!;
}

/** Writes interleaved jobs in two accounts, and a refused dispatch. @returns the position of the last event */
export async function writeHistory(fixture: ReadStoreFixture, jobs: number, from = 0): Promise<bigint> {
  if (from === 0)
    for (const tenant of ['T0', 'T1'])
      await fixture.append('account', tenant, [purchased(100_000, 0, `pack-of-${tenant}`)]);
  const lives = Array.from({ length: jobs }, (_, number) => life(from + number));
  for (let step = 0; step < 6; step++)
    for (const steps of lives) {
      const [category, id, event] = steps[step] ?? [];
      if (category && id && event) await fixture.append(category, id, [event], { tenant: 'acme' });
    }
  return fixture.append('usage', 'T0', [rejected(`refused-${from}`)]);
}

import { expect, it } from 'vitest';
import type { TestOutcome } from '#domain/job/job.events.js';
import { Story } from '../process-managers/support/story.js';
import { obligingEngine } from './support/engines.js';
import { Workshop } from './support/workshop.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());
await workshop.startProjector();
await workshop.startWorker(obligingEngine);

/** Debits and queues a job with this outcome, and waits until it has ended and its charge is closed. */
async function play(testOutcome: TestOutcome, request: Record<string, unknown> = {}) {
  const tenant = await workshop.tenantWith(100);
  const story = new Story(workshop.store, workshop.accounts, tenant);
  const ids = { ...story.single(), request, testOutcome };
  await story.charge(ids);
  await story.queue(ids);
  await workshop.ended(tenant, ids);
  const types = await workshop.types('job', ids.jobId);
  const [failed] = await workshop.find('job', ids.jobId, 'JobFailed');
  const [succeeded] = await workshop.find('job', ids.jobId, 'JobSucceeded');
  return {
    attempts: types.filter((type) => type === 'RenderStarted').length,
    code: failed?.code,
    failures: succeeded?.failures,
    balance: await workshop.balance(tenant),
  };
}

it.each([
  ['policy', {}, 1, 'ENGINE_POLICY'],
  ['no_image', {}, 2, 'ENGINE_NO_IMAGE'],
  ['no_image', { on_technical_failure: 'retry' }, 3, 'ENGINE_NO_IMAGE'],
  ['timeout', {}, 1, 'ENGINE_OUTCOME_UNKNOWN'],
] as const)('%s %j fails after %i attempts with %s, refunded', async (outcome, request, attempts, code) => {
  expect(await play(outcome, request)).toEqual({ attempts, code, failures: undefined, balance: 100 });
});

it.each(['capacity_then_success', 'crash'] as const)('%s succeeds at the second attempt', async (outcome) => {
  expect(await play(outcome)).toEqual({ attempts: 2, code: undefined, failures: undefined, balance: 95 });
});

it('partial succeeds, and says what is missing', async () => {
  const ended = await play('partial');
  expect(ended).toMatchObject({ attempts: 1, code: undefined, balance: 95 });
  expect(ended.failures).toMatchObject([{ arm: 'test', code: 'TEST_OUTCOME' }]);
});

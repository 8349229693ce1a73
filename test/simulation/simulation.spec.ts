import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { scenarios, type Step } from './actions.js';
import { search } from './search.js';
import { simulate } from './simulation.js';

const seeds = 200;

function scenarioOf(seed: number): readonly Step[] {
  const [steps] = fc.sample(scenarios, { seed, numRuns: 1, unbiased: true });
  return steps ?? [];
}

describe('the simulation', () => {
  it('repeats itself exactly', async () => {
    for (const seed of [7, 8, 9]) {
      const [once, again] = [
        await simulate(scenarioOf(seed), { traced: true }),
        await simulate(scenarioOf(seed), { traced: true }),
      ];
      expect(again).toEqual(once);
      expect(once.events).toBeGreaterThan(6);
    }
  });

  it('names the command that repeats a find, which it then does', async () => {
    const told: string[] = [];
    const bug = 'settle-on-failed';
    const find = await search({ first: 1, seeds: 50, bug }, (line) => void told.push(line));
    expect(find).toBeDefined();
    const { seed, path, violation, steps } = find!;
    expect(told.at(-1)).toBe(`To repeat it: npm run simulate -- --seed ${seed} --path ${path} --bug ${bug}`);
    expect(told).toContain(`Broken: ${violation}`);
    expect(steps.length).toBeLessThanOrEqual(8);
    const again = await search({ first: seed, seeds: 1, path, bug }, () => undefined);
    expect(again).toEqual(find);
  });

  it.each([
    [11857000, 'a charge that is made after its job was voided waits for the sweep'],
    [1196651664, 'a refused webhook without its task is overdue when its next attempt is, and not before'],
    [895526072, 'the same, after another restore'],
  ])('does not complain of what is right: seed %d, %s', async (seed) => {
    const find = await search({ first: seed, seeds: 1, shrinks: false }, () => undefined);
    expect(find?.violation).toBeUndefined();
  });

  describe(`with ${seeds} seeds`, () => {
    const trace: string[] = [];

    it('breaks nothing', async () => {
      const told: string[] = [];
      const onTrace = (lines: readonly string[]) => void trace.push(...lines);
      const find = await search({ first: 1, seeds, onTrace }, (line) => void told.push(line));
      expect(find && told.join('\n')).toBeUndefined();
    });

    // A simulation proves nothing about events that never occur in it.
    it.each([
      ['a late answer to an idempotent request', /dispatch d\d+: key-in-use/],
      ['a key with another body', /dispatch d\d+: key-reused/],
      ['an empty account', /INSUFFICIENT_BALANCE/],
      ['a suspended account', /ACCOUNT_INACTIVE/],
      ['a daily cap', /DAILY_SPEND_CAP_EXCEEDED/],
      ['a disabled operation', /OPERATION_DISABLED/],
      ['a scheduled price', /OperationPriceScheduled .*credits=/],
      ['a scheduled price that is taken back', /OperationPriceScheduled (?!.*credits=)/],
      ['an append of unknown outcome', /dispatch d\d+: AppendOutcomeUnknown/],
      ['a dispatch that the sweep has given up', /dispatch d\d+: DispatchVoided/],
      ['a fence', /JobVoided/],
      ['a refund of the sweep', /CreditsRefunded .*orphaned/],
      ['a cancel that wins', /cancel of d[\d.]+: cancelled/],
      ['a cancel that comes too late', /cancel of d[\d.]+: JOB_FINISHED/],
      ['a cancel of a foreign job', /cancel of d[\d.]+: JOB_NOT_FOUND/],
      ['a third attempt', /RenderStarted attempt=3/],
      ['attempts that are used up', /JobFailed .*code=\S*_EXHAUSTED/],
      ['a batch of which nothing came', /PARTS_FAILED/],
      ['an old holder of a checkpoint that wakes up late', /an old holder is fenced off/],
      ['a task that is put back', /look of projector-\d: [1-9]/],
      ['a consumer that halts', /is halted: its checkpoint was made from event/],
      ['a dispatch that is refused after a restore', /dispatch d\d+: LOG_MISMATCH/],
      ['a start from a snapshot', /starts from the snapshot/],
      ['an altered snapshot that is dropped', /drops the snapshot/],
      ['a webhook', /sends webhook/],
      ['an erasure that is completed', /ErasureCompleted/],
      ['an erasure of a person', /ModelReleaseErased/],
      ['a product without its words', /ProductErased/],
      ['an erasure that a hold refuses', /erase: held/],
      ['a dispatch with an erased picture', /dispatch d\d+: erased-reference/],
      ['a dispatch without a release', /dispatch d\d+: RELEASE_REQUIRED/],
      ['a job that stops with its release', /JobCancelled .*The release that allowed/],
      ['a release that expires', /ModelReleaseExpired/],
    ])('sees %s', (_, sign) => {
      expect(trace.some((line) => sign.test(line))).toBe(true);
    });
  });
});

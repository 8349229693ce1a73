import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueuedJob } from '#domain/job/job.js';
import { runCommand } from '../support/command.js';
import { Workshop } from '../worker/support/workshop.js';
import { Story } from './support/story.js';

let workshop: Workshop;
let story: Story;

beforeAll(async () => {
  workshop = await Workshop.open();
  story = new Story(workshop.store, workshop.accounts, await workshop.tenantWith(1_000));
  // The projector runs beside the verb, but its horizon is so long that it leaves all orphans to the verb.
  await workshop.startProjector({ orphanHorizonMs: 24 * 3_600_000 });
});
afterAll(() => workshop[Symbol.asyncDispose]());

function atelier(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const settings = {
    DATABASE_URL: workshop.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
    ...env,
  };
  return runCommand(['orphans', ...args], workshop.folder, { env: settings });
}

async function json(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await atelier([...args, '--json'], env);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function orphaned(minutesOld: number): Promise<QueuedJob> {
  const job = story.single(new Date(Date.now() - minutesOld * 60_000));
  await story.charge(job);
  return job;
}

const idsOf = ({ orphans }: Record<string, unknown>) =>
  (orphans as { charge_id: string }[]).map(({ charge_id: id }) => id);

describe('atelier orphans', () => {
  it('lists and gives back open charges without a job past the horizon, and only those', async () => {
    const [old, middle] = [await orphaned(600), await orphaned(180)];
    // This orphan is dated in the future: it stays younger than the horizon, however long this test takes.
    await orphaned(-60);
    await story.told('goes-on', new Date(Date.now() - 36_000_000));
    await workshop.readModelsCaughtUp();

    const listed = await json(['list']);
    expect(listed).toEqual({ horizon_ms: 60_000, orphans: expect.any(Array) });
    expect(idsOf(listed)).toEqual([old.chargeId, middle.chargeId]);
    const [first] = listed['orphans'] as Record<string, unknown>[];
    expect(first).toEqual({
      env: 'test',
      tenant_id: story.tenant,
      charge_id: old.chargeId,
      job_id: old.jobId,
      credits: 5,
      charged_at: old.at,
      age_seconds: expect.any(Number),
      fenced: false,
      ended: null,
    });
    expect(first!['age_seconds']).toBeGreaterThanOrEqual(36_000);
    expect(idsOf(await json(['list', '--horizon', '5h']))).toEqual([old.chargeId]);
    expect(idsOf(await json(['list'], { ATELIER_ORPHAN_HORIZON_MS: '18000000' }))).toEqual([old.chargeId]);
    expect(idsOf(await json(['list', '--env', 'live']))).toEqual([]);
    const table = await atelier(['list']);
    for (const word of ['tenant', 'age', old.chargeId!, old.jobId]) expect(table.stdout).toContain(word);

    expect(await json(['sweep', '--horizon', '5h', '--env', 'test'])).toEqual({
      horizon_ms: 18_000_000,
      swept: [{ env: 'test', refunded: 1, closed: 0, spared: 0, failed: 0 }],
    });
    expect(await workshop.types('job', old.jobId)).toEqual(['JobVoided']);
    expect(await workshop.find('account', story.tenant, 'CreditsRefunded')).toMatchObject([
      { chargeId: old.chargeId, amount: 5, reason: 'orphaned' },
    ]);
    const { code, stdout } = await atelier(['sweep']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/refunded +closed +spared +failed/);
    expect(stdout).toMatch(/test +1 +0 +0 +0/);
    await workshop.readModelsCaughtUp();
    expect(idsOf(await json(['list']))).toEqual([]);
    expect((await atelier(['list'])).stdout).toContain(
      'No open charge without a job, or of one that has ended, is older than 60 s.',
    );
  });

  it('looks jobs up that the read model does not show: they are listed by nobody, and spared', async () => {
    await story.told('goes-on', new Date(Date.now() - 36_000_000));
    await workshop.readModelsCaughtUp();
    await workshop.query('delete from test.jobs');
    expect(idsOf(await json(['list']))).toEqual([]);
    expect(await json(['sweep', '--env', 'test'])).toMatchObject({
      swept: [{ refunded: 0, spared: expect.any(Number), failed: 0 }],
    });
  });

  it('refuses a horizon that would give up dispatches under way, and what is no time', async () => {
    const short = await atelier(['sweep', '--horizon', '0']);
    expect(short).toMatchObject({ code: 1, stdout: '' });
    expect(short.stderr).toContain('less than 1s');
    expect((await atelier(['list', '--horizon', 'soon'])).code).toBe(1);
  });

  it('and the projector give a charge back once when both sweep at the same time', async () => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => orphaned(10)));
    await workshop.readModelsCaughtUp();
    const beside = workshop.startProjector({ orphanHorizonMs: 60_000, sweepBatch: 3 });
    const [verb] = await Promise.all([json(['sweep', '--env', 'test']), beside]);
    expect(verb).toMatchObject({ swept: [{ failed: 0 }] });
    const refunds = await workshop.find('account', story.tenant, 'CreditsRefunded');
    for (const { chargeId } of jobs) {
      expect(refunds.filter((refund) => refund.chargeId === chargeId)).toHaveLength(1);
    }
  });
});

import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { obligingEngine } from '../worker/support/engines.js';
import { Workshop } from '../worker/support/workshop.js';

let workshop: Workshop;
let tenant: string;

beforeAll(async () => {
  workshop = await Workshop.open();
  tenant = await workshop.tenantWith(100);
});
afterAll(() => workshop[Symbol.asyncDispose]());

function atelier(...args: string[]) {
  const env = {
    DATABASE_URL: workshop.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
    PUBLIC_URL: 'http://127.0.0.1:9',
  };
  return runCommand(args, workshop.folder, { env });
}

async function json(...args: string[]): Promise<unknown> {
  const { stdout } = await atelier(...args, '--json');
  return JSON.parse(stdout);
}

async function unfinishedJobs(): Promise<{ name: string; ok: boolean; detail: string } | undefined> {
  const { checks } = (await json('doctor')) as { checks: { name: string; ok: boolean; detail: string }[] };
  return checks.find(({ name }) => name === 'unfinished jobs');
}

describe('atelier jobs', () => {
  it('lists what was lost from the queue, as the doctor does, and puts it back once', async () => {
    const projector = await workshop.startProjector();
    const [lost, kept] = [await workshop.dispatch(tenant), await workshop.dispatch(tenant)];
    await workshop.readModelsCaughtUp();
    await projector.stop();
    expect(await json('jobs', 'stranded')).toEqual({ jobs: [] });
    await workshop.query(`delete from pgboss.job where data->>'jobId' = $1`, [lost.jobId]);
    // Its task could still be on its way.
    expect(await json('jobs', 'stranded')).toEqual({ jobs: [] });
    expect(await unfinishedJobs()).toMatchObject({ ok: true });

    await workshop.query(`update test.jobs_g1 set created_at = now() - interval '2 minutes'`);
    const job = { env: 'test', tenant_id: tenant, job_id: lost.jobId, parent_job_id: null };
    expect(await json('jobs', 'stranded')).toEqual({ jobs: [{ ...job, needs: 'its task' }] });
    expect((await atelier('jobs', 'stranded')).stdout).toContain(lost.jobId);
    expect(await unfinishedJobs()).toMatchObject({
      ok: false,
      detail: `1 have neither task nor running attempt: ${lost.jobId}`,
    });

    const asked = await atelier('jobs', 'requeue', '--dry-run');
    expect(asked.stdout).toMatch(/test +1/);
    expect(asked.stdout).toContain('Nothing was done: without --dry-run it is.');
    expect(await json('jobs', 'stranded')).toEqual({ jobs: [{ ...job, needs: 'its task' }] });
    const again = await atelier('jobs', 'requeue', lost.jobId, kept.jobId);
    expect(again.stdout).toMatch(/test +1/);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(`${kept.jobId}: not stranded`);
    expect(await json('jobs', 'requeue')).toEqual({
      dry_run: false,
      requeued: [
        { env: 'live', tasks: 0 },
        { env: 'test', tasks: 0 },
      ],
    });
    expect(await json('jobs', 'stranded')).toEqual({ jobs: [] });

    await workshop.startProjector();
    await workshop.startWorker(obligingEngine);
    for (const each of [lost, kept]) await workshop.ended(tenant, each);
    expect(await workshop.balance(tenant)).toBe(90);
  });
});

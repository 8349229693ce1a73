import { fork, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '#platform/ids.js';
import { sandboxModel, type ImageModel } from '#platform/image-models.js';
import { expectAuditToHold } from '../../../../test/support/audited.js';
import { Workshop } from '../../../../test/worker/support/workshop.js';
import { testedFamilies } from '../support/tested-families.js';
import { tryOnIn } from '../support/try-ons.js';
import type { KillPlan } from './calling-worker.js';

/*
 * Kills the worker with `kill -9` at each point of a call to a vendor. The vendor's own count is the witness:
 * no job is ever submitted twice.
 */

// Allows for hundreds of starts of a worker on a busy machine.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 1_200_000 });

/** How often each point is tried. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 1);
const workers = 3;

/** A worker that is only slow must not be taken for dead. */
const heartbeatSeconds = 8;

describe.each(Object.entries(testedFamilies))(
  'a worker that is killed while it asks %s',
  (name, { open, model, points }) => {
    const double = open();
    let workshop: Workshop;
    const children = new Set<ChildProcess>();
    let stopping = false;
    let deaths = 0;

    beforeAll(async () => {
      workshop = await Workshop.open({ heartbeatSeconds });
      await workshop.startProjector();
    });
    afterAll(async () => {
      stopping = true;
      for (const child of children) child.kill('SIGKILL');
      await workshop[Symbol.asyncDispose]();
      await double.close();
    });

    /** Runs one process, and a new one after each death. */
    function work(planFile: string): void {
      const entry = join(
        process.cwd(),
        'dist',
        'capabilities',
        'vendors',
        'test',
        'crash',
        'calling-worker.js',
      );
      const env = { ...process.env, VENDOR_KEY: 'sk-for-tests' };
      const child = fork(entry, [planFile], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      children.add(child);
      child.once('exit', (_code, signal) => {
        children.delete(child);
        if (stopping) return;
        deaths += Number(signal === 'SIGKILL');
        work(planFile);
      });
    }

    it('has the vendor asked once for each job, at whatever point it dies', async () => {
      const jobs = Object.entries(points).flatMap(([point, ends]) =>
        Array.from({ length: rounds }, () => ({ point, ends, ids: { requestId: newId(), jobId: newId() } })),
      );
      const tenant = await workshop.tenantWith(100_000);
      const body = await tryOnIn(workshop, tenant);
      const { databaseUrl, folder } = workshop;
      await double.open();
      // Each job has an address of its own, so that its submissions can be counted apart from the others'.
      const models = jobs.map(({ ids: { jobId } }): ImageModel => ({
        ...sandboxModel,
        ...model,
        id: jobId,
        family: name,
        max_inputs: 3,
        secret_env: 'VENDOR_KEY',
        endpoint: double.lane(jobId, []),
      }));
      const plan: KillPlan = {
        databaseUrl,
        directory: join(folder, 'objects'),
        heartbeatSeconds,
        models: { currency: 'USD', workflow_models: {}, tenant_models: {}, models },
        points: Object.fromEntries(jobs.map(({ ids, point }) => [ids.jobId, point])),
      };
      const planFile = join(folder, 'plan.json');
      writeFileSync(planFile, JSON.stringify(plan));
      for (const { ids } of jobs) await workshop.dispatchAs(ids, tenant, body, 'try-on', ids.jobId);
      for (let worker = 0; worker < workers; worker++) work(planFile);

      const found = [];
      for (const { point, ids } of jobs) {
        await workshop.ended(tenant, ids, 600_000);
        const types = await workshop.types('job', ids.jobId);
        const last = types.filter((type) => /^Job(?:Succeeded|Failed)$/.test(type));
        found.push([point, double.submissionsIn(ids.jobId), ...last]);
      }
      expect(found).toEqual(jobs.map(({ point, ends }) => [point, ...ends]));
      expect(deaths).toBe(jobs.length);
      const drawn = jobs.filter(({ ends }) => ends[1] === 'JobSucceeded').length;
      expect(await workshop.balance(tenant)).toBe(100_000 - 10 * drawn);
      await expectAuditToHold(workshop);
      console.info(`${name}: ${deaths} kills, ${double.submissions} submissions, ${drawn} pictures`);
    });
  },
);

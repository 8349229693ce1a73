import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { readModels } from '#projections/read-models.js';
import { differencesFromHistory } from '#read-store/testing/rows-of-history.js';
import { dispatchBatch } from '../../worker/support/batches.js';
import type { Workshop } from '../../worker/support/workshop.js';
import { eventually } from '../../support/eventually.js';

const credits = 100_000;

/** Callers that dispatch and cancel all the time, so that every process manager always has work. */
export class Commotion {
  private readonly ended = new AbortController();
  private readonly callers: Promise<void>[];
  private readonly dispatched: string[] = [];
  private readonly tenants = new Set<string>();

  constructor(private readonly workshop: Workshop) {
    this.callers = [this.photographer(), ...[1, 2].map(() => this.caller())];
  }

  get jobs(): number {
    return this.dispatched.length;
  }

  async more(jobs: number): Promise<void> {
    const until = this.jobs + jobs;
    await eventually(() => this.jobs >= until);
  }

  /**
   * Ends the commotion, and checks that everything has happened once: in the log, in the render queue and in
   * the read models.
   */
  async settle(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.callers);
    for (const tenant of this.tenants) {
      await eventually(async () => (await this.openCharges(tenant)) === 0);
      const charges = await this.workshop.find('account', tenant, 'CreditsDebited');
      const refunds = await this.workshop.find('account', tenant, 'CreditsRefunded');
      expect(refunds.map(({ chargeId }) => chargeId).toSorted()).toEqual(
        charges.map(({ chargeId }) => chargeId).toSorted(),
      );
    }
    for (const jobId of this.dispatched) {
      const types = await this.workshop.types('job', jobId);
      expect(types).toEqual(['JobQueued', 'JobCancelled']);
    }
    await this.enqueuedOnce();
    await this.workshop.readModelsCaughtUp();
    await this.rowsAreHistory();
  }

  private async caller(): Promise<void> {
    const tenant = await this.workshop.tenantWith(credits);
    this.tenants.add(tenant);
    for (; !this.ended.signal.aborted; await sleep(10)) {
      const { jobId } = await this.workshop.dispatch(tenant);
      await this.workshop.cancel(tenant, jobId);
      this.dispatched.push(jobId);
    }
  }

  /**
   * These dispatches die before they queue the photographs, so a process manager queues and then cancels them.
   */
  private async photographer(): Promise<void> {
    for (; !this.ended.signal.aborted; await sleep(300)) {
      const { tenant, parent, children } = await dispatchBatch(this.workshop, 2, 'children');
      this.tenants.add(tenant);
      const queued = async () =>
        (await Promise.all(children.map(({ jobId }) => this.workshop.types('job', jobId)))).every(
          (types) => types[0] === 'JobQueued',
        );
      // A projector that takes over may need some seconds to queue them.
      await eventually(queued);
      await this.workshop.cancel(tenant, parent.jobId);
      this.dispatched.push(parent.jobId, ...children.map(({ jobId }) => jobId));
      await eventually(async () => (await this.openCharges(tenant)) === 0);
    }
  }

  private async openCharges(tenant: string): Promise<number> {
    const { state } = await this.workshop.accounts.read('test', tenant);
    return state.status === 'unopened' ? 0 : state.charges.entries().length;
  }

  /** The render queue and the checkpoint of its process manager move together, so no task is queued twice. */
  private async enqueuedOnce(): Promise<void> {
    const { rows } = await this.workshop.query(
      `select data->>'jobId' as job, count(*)::integer as times from pgboss.job
        where data->>'jobId' is not null group by 1 having count(*) > 1`,
    );
    expect(rows).toEqual([]);
  }

  private async rowsAreHistory(): Promise<void> {
    const sql = new pg.Pool({ connectionString: this.workshop.databaseUrl, max: 1 });
    try {
      for (const model of readModels) {
        const differences = await differencesFromHistory(sql, this.workshop.store, model, 'test');
        expect({ model: model.name, differences }).toEqual({ model: model.name, differences: [] });
      }
    } finally {
      await sql.end();
    }
  }
}

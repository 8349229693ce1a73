import { afterAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { eventually } from '../support/eventually.js';
import { Service, type Role } from './support/service.js';
import { untilEnd } from '../support/until-end.js';

/** The processes of production, with a second projector that stands by. */
const service = untilEnd(await Service.start({}, []));
const names = ['api', 'worker', 'projector', 'projector'] as const;
const started = await Promise.all(names.map((name) => service.role(name)));
const [api, worker, first, second] = started as [Role, Role, Role, Role];
const roles = { api, worker, first, second };
service.connect(api);
const tenant = await service.inner.openTenant({ environment: 'test' });
const sql = new pg.Pool({ connectionString: service.inner.databaseUrl, max: 1 });
afterAll(() => sql.end());

/** The sum over all processes; each counts its own writes. */
async function sum(name: string): Promise<number> {
  const scrapes = await Promise.all(Object.values(roles).map((role) => role.metrics()));
  return scrapes.reduce((all, scraped) => all + (scraped.get(name) ?? 0), 0);
}

describe('outcomes', () => {
  it('are counted once over all processes: charges, ends by workflow, refunds by reason, render times', async () => {
    await service.render(tenant);
    await service.render(tenant, { 'x-atelier-test-outcome': 'policy' });
    const cancelled = await service.api.post('/v1/model-generator', tenant.key, {});
    const { status } = await service.api.post(
      `/v1/jobs/${cancelled.body.job_id}/cancel`,
      tenant.key,
      undefined,
    );
    expect(status).toBe(200);
    const model = 'environment="test",';
    // A process counts an event when the store has answered, which may be a moment after others can read it.
    const refunds = `atelier_refunds_total{${model}reason="job-cancelled"}`;
    await eventually(async () => (await sum(refunds)) > 0);
    const ended = (outcome: string) =>
      `atelier_jobs_finished_total{${model}outcome="${outcome}",workflow="model-generator"}`;
    expect({
      charges: await sum(`atelier_charges_total{${model}workflow="model-generator"}`),
      succeeded: await sum(ended('succeeded')),
      failed: await sum(ended('failed')),
      cancelled: await sum(ended('cancelled')),
      policy: await sum(`atelier_job_failures_total{code="ENGINE_POLICY",environment="test"}`),
      refundedForFailure: await sum(`atelier_refunds_total{${model}reason="job-failed"}`),
      refundedForCancel: await sum(refunds),
      credits: await sum(`atelier_refunded_credits_total{${model}reason="job-cancelled"}`),
      rendered: await sum('atelier_render_duration_seconds_count{workflow="model-generator"}'),
      dispatched: await sum('atelier_dispatches_total{status="202",workflow="model-generator"}'),
    }).toEqual({
      charges: 3,
      succeeded: 1,
      failed: 1,
      cancelled: 1,
      policy: 1,
      refundedForFailure: 1,
      refundedForCancel: 1,
      credits: 5,
      rendered: 1,
      dispatched: 3,
    });
  });

  it('of requests are told by route, with no id in any label', async () => {
    await service.api.get('/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF', tenant.key);
    await fetch(`${service.api.url}/nowhere/01K9Z7J0V6X8Y2Z4A6B8C0D2EF`);
    const scraped = await roles.api.metrics();
    const count = 'atelier_http_request_duration_seconds_count';
    expect(scraped.get(`${count}{method="GET",route="/v1/jobs/:public_id",status="4xx"}`)).toBe(1);
    expect(scraped.get(`${count}{method="any",route="unmatched",status="4xx"}`)).toBe(1);
    expect([...scraped.keys()].filter((name) => /01[0-9A-HJKMNP-TV-Z]{24}/.test(name))).toEqual([]);
  });
});

describe('levels', () => {
  it('are told alike by the API and by each projector, and not by workers', async () => {
    const name = 'atelier_projection_lag_events{environment="test",projection="jobs"}';
    for (const role of [roles.api, roles.first, roles.second]) {
      // A job's charge is closed a moment after the job ends, and a query's result is shared for two seconds.
      await eventually(async () => {
        const levels = await role.metrics();
        return levels.get(name) === 0 && levels.get('atelier_open_charges{environment="test"}') === 0;
      });
      const scraped = await role.metrics();
      expect(scraped.get('atelier_installation_readable{source="log"}')).toBe(1);
      expect(scraped.get('atelier_installation_readable{source="ledger"}')).toBe(1);
      expect(scraped.get('atelier_installation_readable{source="render_queue"}')).toBe(1);
    }
    expect((await roles.worker.metrics()).has(name)).toBe(false);
  });
});

describe('readiness', () => {
  /** A probe without an answer in time counts as failed, so a busy machine may fail it for a moment. */
  async function becomes(role: Role, status: number): Promise<void> {
    await eventually(async () => (await role.health('ready')).status === status);
  }

  /** The next commit under the old epochs is refused, so the runner reads its projections again. */
  async function takeUpAnew(versionOfJobs: string): Promise<void> {
    await sql.query(
      `update read_store.projections
        set epoch = epoch + 1, version = case when name = 'jobs' then ${versionOfJobs} else version end
        where environment = 'test'`,
    );
    await service.inner.grant(tenant, 1);
  }

  it('is that of all but a worker when a projection is halted, who stay alive; it comes back when that is mended', async () => {
    for (const role of Object.values(roles)) await becomes(role, 200);

    await takeUpAnew('version + 1000');
    for (const role of [roles.api, roles.first, roles.second]) {
      await becomes(role, 503);
      expect((await role.health('ready')).body).toContain('halted: test jobs');
      expect((await role.health('live')).status).toBe(200);
    }
    expect((await roles.worker.health('ready')).status).toBe(200);
    const halted = 'atelier_projection_halted{environment="test",projection="jobs"}';
    await eventually(async () => (await roles.api.metrics()).get(halted) === 1);

    await takeUpAnew('version - 1000');
    for (const role of Object.values(roles)) {
      await becomes(role, 200);
    }
    await eventually(async () => (await roles.api.metrics()).get(halted) === 0);
  });

  it('of each role ends while its store is away, and its life does not', async () => {
    const { databaseUrl } = service.inner;
    const url = new URL(databaseUrl);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const away = { DATABASE_URL: url.href, EVENT_STORE_URL: url.href, LOG_LEVEL: 'silent' };
    const others = await Promise.all(
      (['api', 'worker', 'projector'] as const).map((role) => service.role(role, away)),
    );
    try {
      for (const role of others) await becomes(role, 200);
      proxy.refuse();
      for (const role of others) {
        const { status, body } = await role.health('ready');
        expect(status).toBe(503);
        expect(body).toContain('the event store does not answer');
        expect(body).toContain('the database does not answer');
        expect(body).not.toContain('postgres://');
        expect((await role.health('live')).status).toBe(200);
        const scraped = await role.metrics();
        expect(scraped.has('process_cpu_seconds_total')).toBe(true);
        expect([...scraped.keys()].filter((name) => name.startsWith('atelier_projection_lag'))).toEqual([]);
      }
      proxy.restore();
      for (const role of others) {
        await becomes(role, 200);
      }
    } finally {
      proxy.restore();
      await Promise.all(others.map(({ process }) => process.stop('SIGKILL')));
      await proxy.close();
    }
  });
});

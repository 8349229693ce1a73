import type { RecordedEvent } from '#event-store/event-store.js';
import { expect } from 'vitest';
import { ApiClient } from '../../api/support/api-client.js';
import { ApiService, type Tenant } from '../../api/support/api-service.js';
import { startRole, type RoleProcess } from '../../support/role-process.js';
import { eventually } from '../../support/eventually.js';
import { eventsIn } from '../../support/streams.js';
import { series } from './series.js';

export type RoleName = 'api' | 'worker' | 'projector';

/** One service with its roles in processes, as in production, on a database of its own. */
export class Service implements AsyncDisposable {
  private readonly roles: RoleProcess[] = [];
  api!: ApiClient;

  private constructor(readonly inner: ApiService) {}

  static async start(
    settings: Record<string, string> = {},
    roles: readonly RoleName[] = ['api', 'worker', 'projector'],
  ): Promise<Service> {
    const service = new Service(await ApiService.start({ projector: false }));
    try {
      const started = await Promise.all(roles.map((role) => service.role(role, settings)));
      const api = started[roles.indexOf('api')];
      if (api) service.connect(api);
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
    return service;
  }

  /** Starts one more process. Its URL is that of the API, or of the role's own server. */
  async role(name: RoleName, settings: Record<string, string> = {}): Promise<Role> {
    const process = await startRole(`apps/${name}/src/main.js`, {
      ...this.inner.roleSettings,
      METRICS: 'true',
      METRICS_PORT: '0',
      ...settings,
    });
    this.roles.push(process);
    return new Role(process, Number(process.ready[name === 'api' ? 'port' : 'metricsPort']));
  }

  connect(api: Role): void {
    this.api = new ApiClient(api.url);
  }

  events(stream: string): Promise<readonly RecordedEvent[]> {
    return eventsIn(this.inner.store, stream);
  }

  /** Dispatches one job, and waits until its charge is closed. */
  async render(
    tenant: Tenant,
    headers: Record<string, string> = {},
  ): Promise<{ jobId: string; requestId: string }> {
    const accepted = await this.api.post('/v1/model-generator', tenant.key, { seed: 3 }, headers);
    expect(accepted.status).toBe(202);
    const requestId = String(accepted.body.request_id);
    await eventually(async () => {
      const account = await this.events(`test.account-${tenant.id}`);
      return account.some(
        ({ type, data }) =>
          /Settled|Refunded/.test(type) && (data as { chargeId?: string }).chargeId === requestId,
      );
    });
    return { jobId: String(accepted.body.job_id), requestId };
  }

  async stopRoles(): Promise<void> {
    await Promise.all(this.roles.splice(0).map((role) => role.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopRoles();
    await this.inner[Symbol.asyncDispose]();
  }
}

export class Role {
  readonly url: string;

  constructor(
    readonly process: RoleProcess,
    port: number,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  async health(what: 'live' | 'ready'): Promise<{ status: number; body: string }> {
    const response = await fetch(`${this.url}/health/${what}`);
    return { status: response.status, body: await response.text() };
  }

  /** The value of each series, as `name{label="value",…}` without the label `role`. */
  async metrics(): Promise<Map<string, number>> {
    return series(await (await fetch(`${this.url}/metrics`)).text());
  }
}

import { testKeys } from '../support/signing-key.js';
import pg from 'pg';
import type { AuditReport } from '#capabilities/operate/audit/audit.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import {
  openEventStore,
  postgresUrlOf,
  prepareEventStore,
  type OpenedEventStore,
} from '#event-store/open-event-store.js';
import { freePort } from '#platform/embedded-postgres.js';
import type { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { createApi } from '../../apps/api/src/create-api.js';
import { ApiClient } from '../api/support/api-client.js';
import { contextOf } from '../api/support/api-service.js';
import { audited } from '../support/audited.js';
import { eventually } from '../support/eventually.js';
import { grantCredits, issueKey, openAccount } from '../support/operator.js';
import { configurationOn, startProjector, startWorker, type RunningProjector } from '../support/roles.js';
import { impatience } from '../worker/support/workshop.js';
import { obligingEngine } from '../worker/support/engines.js';

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');
const environment = 'live';

/** Figures by which an operator judges a restore. */
export interface Figures {
  readonly jobs: number;
  readonly ended: number;
  readonly balance: number;
  readonly ledger: number;
  readonly auditHolds: boolean;
}

/** One tenant's key; it is on the log, so a backup includes it. */
export interface Customer {
  readonly tenant: string;
  readonly key: string;
}

/**
 * A running installation on a log and a database that may have been restored: an API, a projector and a worker.
 */
export class House implements AsyncDisposable {
  private readonly cleanups = new AsyncDisposableStack();

  private constructor(
    readonly urls: { readonly eventStoreUrl: string; readonly databaseUrl: string },
    private readonly folder: string,
    readonly events: OpenedEventStore,
    private readonly more: Partial<Configuration>,
  ) {
    this.cleanups.defer(() => events.close());
  }

  static async migrate(urls: House['urls']): Promise<void> {
    await prepareEventStore(urls);
    await migrateReadStore(urls.databaseUrl, readModels);
  }

  /** @param more settings that the spec changes */
  static async open(urls: House['urls'], folder: string, more: Partial<Configuration> = {}): Promise<House> {
    const events = await openEventStore(urls, { ...testKeys, maxConnections: 2 });
    return new House(urls, folder, events, more);
  }

  private configuration(publicUrl: string) {
    const configuration = configurationOn(this.urls.databaseUrl, { publicUrl });
    return {
      ...configuration,
      ...this.urls,
      storage: { kind: 'folder', directory: this.folder, signingSecret: 'for tests only' } as const,
      projector: { ...configuration.projector, sweepIntervalMs: 200 },
      ...this.more,
    };
  }

  /** Rejects when the process would end instead of becoming ready. */
  async openApi(given?: number): Promise<ApiClient> {
    const port = given ?? (await freePort());
    const publicUrl = `http://127.0.0.1:${port}`;
    const api = await createApi({ configuration: this.configuration(publicUrl), logger });
    this.cleanups.defer(() => api.close());
    await api.listen(port, '127.0.0.1');
    return new ApiClient(publicUrl);
  }

  /** @param orphanHorizonMs default: the value of an installation without its own setting */
  async startProjector(orphanHorizonMs?: number): Promise<RunningProjector> {
    const queue = await this.queue();
    const { projector: settings, ...others } = this.configuration('http://127.0.0.1');
    const configuration = {
      ...others,
      projector: { ...settings, ...(orphanHorizonMs !== undefined && { orphanHorizonMs }) },
    };
    const { store, snapshots } = this.events;
    const projector = await startProjector({ store, snapshots, queue, logger, configuration });
    this.cleanups.defer(() => projector.stop());
    return projector;
  }

  async startWorker(): Promise<void> {
    const queue = await this.queue();
    const configuration = { ...this.configuration('http://127.0.0.1'), workerConcurrency: 4 };
    const storage = new FolderStorage({
      directory: this.folder,
      signingSecret: 'for tests only',
      publicUrl: 'http://127.0.0.1',
    });
    const { store } = this.events;
    const parts = { store, storage, queue, logger, engine: obligingEngine, configuration };
    const worker = await startWorker(parts);
    this.cleanups.defer(() => worker.stop(0));
  }

  private async queue(): Promise<PgBossRenderQueue> {
    const queue = await PgBossRenderQueue.start({ url: this.urls.databaseUrl, logger, ...impatience });
    this.cleanups.defer(() => queue.stop(0));
    return queue;
  }

  async customer(credits: number): Promise<Customer> {
    const tenant = newId();
    const accounts = this.accounts();
    const context = () => contextOf(environment, tenant);
    await openAccount(accounts, context(), {
      name: 'Acme',
      terms: { ...defaultTerms, rateLimitPerMin: 9_999 },
    });
    await grantCredits(accounts, context(), { amount: credits, kind: 'pack', label: 'Pack' });
    const grant = {
      capabilities: ['jobs:create', 'jobs:read', 'data:erase'],
      label: '',
      requiresSignature: false,
    } as const;
    const { key } = await issueKey(this.events.store, context(), grant);
    return { tenant, key };
  }

  /** Appends events that cost no tenant anything, so that the log grows. */
  async grow(tenant: string, events: number): Promise<void> {
    for (let each = 0; each < events; each++)
      await grantCredits(this.accounts(), contextOf(environment, tenant), {
        amount: 1,
        kind: 'pack',
        label: 'More',
      });
  }

  async caughtUp(): Promise<void> {
    const head = (await this.events.store.head()) ?? 0n;
    await eventually(async () => {
      const { database } = this;
      const { rows } = await database(
        `select from read_store.projections where environment = $1 and position >= $2 and state = 'live'`,
        [environment, head],
      );
      return rows.length === readModels.length;
    });
  }

  /** The figures of the installation once `jobs` jobs have ended. */
  async figures(api: ApiClient, { key }: Customer, jobs: number): Promise<Figures> {
    const list = async () => (await api.get('/v1/jobs?limit=100', key)).body.jobs as { status: string }[];
    const ended = async () => (await list()).filter(({ status }) => status === 'SUCCESS').length;
    await eventually(async () => (await ended()) === jobs);
    await eventually(async () => (await this.openCharges()) === 0);
    await this.caughtUp();
    const transactions = (await api.get('/v1/transactions?limit=100', key)).body.items as {
      credits_delta: number;
    }[];
    return {
      jobs: (await list()).length,
      ended: await ended(),
      balance: (await api.get('/v1/credits', key)).body.balance as number,
      ledger: transactions.reduce((sum, { credits_delta: delta }) => sum + delta, 0),
      auditHolds: await this.auditHolds(),
    };
  }

  async openCharges(): Promise<number> {
    return (await this.database(`select from live.ledger where status = 'PENDING'`)).rows.length;
  }

  private async auditHolds(): Promise<boolean> {
    const report = await this.audited();
    if (!report.holds) console.error(report.findings.slice(0, 5));
    return report.holds;
  }

  audited(horizonMs = 60_000): Promise<AuditReport> {
    const { databaseUrl } = this.urls;
    const logUrl = postgresUrlOf(this.urls);
    return audited(
      { store: this.events.store, databaseUrl, accounts: this.accounts() },
      { horizonMs, logUrl },
    );
  }

  readonly database = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: this.urls.databaseUrl });
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  };

  private accounts(): AccountWriter {
    return new AccountWriter(this.events.store, this.events.snapshots, { snapshotEvery: 5 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanups.disposeAsync();
  }
}

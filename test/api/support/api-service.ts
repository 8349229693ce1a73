import { testKeys, testMasterKey, testSigningKey } from '../../support/signing-key.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import type { CommandContext } from '#application/command-context.js';
import type { AccountTerms } from '#domain/account/account.events.js';
import type { Capability, SignatureRule } from '#domain/key/key.events.js';
import { environments, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import { freePort } from '#platform/embedded-postgres.js';
import { listenBacklog } from '#platform/guarded-server.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { Installation } from '#read-store/installation.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import { runTasks } from '#read-store/exclusive-session.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { loadConfiguration, type Configuration } from '#platform/configuration.js';
import { createApi } from '../../../apps/api/src/create-api.js';
import type { HttpLimits } from '../../../apps/api/src/http/request-body.js';
import { eventually } from '../../support/eventually.js';
import { seedWithTiles } from '../../support/seeded-presets.js';
import { createTestDatabase } from '../../support/test-database.js';
import { ApiClient } from './api-client.js';
import { grantCredits, issueKey, openAccount, revokeKey } from '../../support/operator.js';

const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

const template = {
  name: 'api',
  async prepare(url: string): Promise<void> {
    const pool = createEventStorePool(url, 1);
    await migrateEventStore(pool);
    await pool.end();
    await migrateReadStore(url, readModels);
    await seedTemplate(url);
  },
};

/**
 * Every service has the presets on its log. Their previews are stored only where a spec needs them
 * (`seedWithTiles`).
 */
async function seedTemplate(url: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'atelier-template-'));
  const { store, close } = await openEventStore(
    { eventStoreUrl: url, databaseUrl: url },
    { ...testKeys, maxConnections: 2 },
  );
  try {
    const storage = new FolderStorage({ directory, signingSecret: 'x', publicUrl: 'http://127.0.0.1' });
    await seedWithTiles(store, storage);
  } finally {
    await close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Requests a minute; too many for a spec to meet the limit by accident. */
const unhindered = 1_000_000;

export interface TenantOptions {
  readonly credits?: number;
  readonly environment?: Environment;
  readonly capabilities?: readonly Capability[];
  readonly terms?: Partial<AccountTerms>;
}

export interface Tenant {
  readonly id: string;
  readonly environment: Environment;
  readonly keyId: string;
  readonly key: string;
}

/**
 * The API on real sockets, with a database of its own. Any number of instances, each with its own writers and
 * connections, share one projector. Jobs are not rendered: specs append the events of a worker.
 */
export class ApiService implements AsyncDisposable {
  private readonly cleanups = new AsyncDisposableStack();
  private readonly stopProjecting = new AbortController();

  private constructor(
    readonly databaseUrl: string,
    readonly folder: string,
    readonly store: EventStore,
    readonly accounts: AccountWriter,
    private readonly masterKey: string | undefined,
  ) {}

  /** @param options.masterKey undefined: the service of a release that stored personal words as plain text */
  static async start(
    options: { readonly projector?: boolean; readonly masterKey?: string | undefined } = {},
  ): Promise<ApiService> {
    const { masterKey } = { masterKey: testMasterKey, ...options };
    const database = await createTestDatabase({ template });
    const folder = await mkdtemp(join(tmpdir(), 'atelier-api-'));
    const events = await openEventStore(
      { eventStoreUrl: database.url, databaseUrl: database.url },
      {
        ...testKeys,
        words: masterKey === undefined ? {} : { masterKey },
        maxConnections: 4,
      },
    );
    const accounts = new AccountWriter(events.store, events.snapshots);
    const service = new ApiService(database.url, folder, events.store, accounts, masterKey);
    service.cleanups.defer(() => database.drop());
    service.cleanups.defer(() => rm(folder, { recursive: true, force: true }));
    service.cleanups.defer(() => events.close());
    if (options.projector ?? true) await service.startProjector();
    return service;
  }

  /** Starts one more API; it reaches the database at `databaseUrl`. */
  async openApi(...args: Parameters<ApiService['openApp']>): Promise<ApiClient> {
    return (await this.openApp(...args)).client;
  }

  /** The same, with the application itself. */
  async openApp(
    databaseUrl = this.databaseUrl,
    more: Partial<Configuration> = {},
    limits?: HttpLimits,
  ): Promise<{ readonly app: NestFastifyApplication; readonly client: ApiClient }> {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const configuration = loadConfiguration({
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: publicUrl,
      ATELIER_HOME: this.folder,
      URL_SIGNING_SECRET: 'a secret of tests',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: this.masterKey ?? '',
    });
    const settings = { configuration: { ...configuration, ...more }, logger };
    const app: NestFastifyApplication = await createApi(settings, limits);
    this.cleanups.defer(() => app.close());
    await app.listen({ port, host: '127.0.0.1', backlog: listenBacklog });
    // On a busy machine the first check of the log may time out; the API then refuses dispatches until the next
    // check.
    const { log } = app.get(Installation);
    if (databaseUrl === this.databaseUrl) await eventually(() => log.fits || log.misfit !== undefined);
    return { app, client: new ApiClient(publicUrl) };
  }

  async openTenant(options: TenantOptions = {}): Promise<Tenant> {
    const { credits = 100, environment = 'live', capabilities = ['jobs:create', 'jobs:read'] } = options;
    const id = newId();
    const terms = { ...defaultTerms, rateLimitPerMin: unhindered, ...options.terms };
    await openAccount(this.accounts, contextOf(environment, id), { name: 'Tenant', terms });
    if (credits > 0) await this.grant({ id, environment }, credits);
    return this.issueKey({ id, environment }, capabilities);
  }

  async grant({ id, environment }: Pick<Tenant, 'id' | 'environment'>, amount: number): Promise<void> {
    const purchase = { amount, kind: 'pack', label: 'Pack' } as const;
    await grantCredits(this.accounts, contextOf(environment, id), purchase);
  }

  async issueKey(
    { id, environment }: Pick<Tenant, 'id' | 'environment'>,
    capabilities: readonly Capability[],
    requiresSignature: SignatureRule = false,
  ): Promise<Tenant> {
    const grant = { capabilities, label: 'tests', requiresSignature };
    const { key, keyId } = await issueKey(this.store, contextOf(environment, id), grant);
    return { id, environment, keyId, key };
  }

  async revoke({ id, environment, keyId }: Tenant): Promise<void> {
    await revokeKey(this.store, contextOf(environment, id), keyId, 'tests');
  }

  /** The settings of every API process, for a process of its own: `startRole('apps/api/src/main.js', …)`. */
  get roleSettings(): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      EVENT_STORE_URL: this.databaseUrl,
      ATELIER_HOME: this.folder,
      URL_SIGNING_SECRET: 'a secret of tests',
      ATELIER_SIGNING_KEY: testSigningKey,
      ATELIER_MASTER_KEY: testMasterKey,
      ATELIER_UNSIGNED_PICTURES: 'accept',
      PORT: '0',
      HOST: '127.0.0.1',
    };
  }

  /** One projector for both environments; resolves when it is at work. */
  async startProjector(): Promise<void> {
    const common = { url: this.databaseUrl, log: logger };
    const runners = environments.map(
      (environment) => new ProjectionRunner({ ...common, eventStore: this.store, environment, readModels }),
    );
    const { signal } = this.stopProjecting;
    const runs = runners.map((runner) =>
      runTasks({ ...common, tasks: [runner], signal, takeOverPollMs: 50 }),
    );
    this.cleanups.defer(async () => {
      this.stopProjecting.abort();
      await Promise.all(runs);
    });
    while (runners.some(({ status }) => status.state === 'waiting')) await sleep(10);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanups.disposeAsync();
  }
}

export function contextOf(environment: Environment, tenant: string): CommandContext {
  const commandId = newId();
  return { environment, tenant, commandId, requestId: commandId, actor: 'operator', at: new Date() };
}

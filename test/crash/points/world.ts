import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import { toNewEvent } from '#application/command-context.js';
import { streamName } from '#domain/streams.js';
import type { StoredAsset } from '#domain/asset/asset.js';
import type { OpenedEventStore } from '#event-store/open-event-store.js';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import { sha256Of } from '#application/render/render-inputs.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { plainPicture } from '../../worker/support/engines.js';
import { openLog } from './log.js';
import { RoleHost, roles, type Role } from './role-host.js';
import { byOperator, grantCredits, issueKey, openAccount } from '../../support/operator.js';

/**
 * After this long, a charge without a job is refunded. If a slow machine needs longer between debit and job,
 * the scenario tests nothing.
 */
export const horizonMs = 2_500;

export const worldTemplate = {
  name: 'crash_points',
  async prepare(url: string): Promise<void> {
    const pool = createEventStorePool(url, 1);
    await migrateEventStore(pool);
    await pool.end();
    await migrateReadStore(url, readModels);
    await (await PgBossRenderQueue.start({ url, logger: createLogger('test', 'silent') })).stop(0);
  },
};

export interface Customer {
  readonly tenant: string;
  readonly key: string;
}

/** A whole service on a database of its own; each role runs in a process of its own. */
export class World implements AsyncDisposable {
  readonly hosts: Readonly<Record<Role, RoleHost>>;
  readonly accounts: AccountWriter;
  readonly storage: FolderStorage;
  readonly pool: pg.Pool;

  private constructor(
    readonly database: TestDatabase,
    readonly folder: string,
    readonly events: OpenedEventStore,
  ) {
    const environment = {
      DATABASE_URL: database.url,
      CRASH_FOLDER: join(folder, 'objects'),
      CRASH_HORIZON_MS: String(horizonMs),
    };
    const hostOf = (role: Role) => new RoleHost(role, environment);
    this.hosts = { api: hostOf('api'), worker: hostOf('worker'), projector: hostOf('projector') };
    this.accounts = new AccountWriter(events.store, events.snapshots);
    this.storage = new FolderStorage({
      directory: join(folder, 'objects'),
      signingSecret: 'for tests only',
      publicUrl: 'http://127.0.0.1',
    });
    this.pool = new pg.Pool({ connectionString: database.url, max: 2 });
  }

  static async open(): Promise<World> {
    const database = await createTestDatabase({ template: worldTemplate });
    const folder = await mkdtemp(join(tmpdir(), 'atelier-crash-'));
    const world = new World(database, folder, await openLog(database.url, { maxConnections: 4 }));
    await Promise.all(roles.map((role) => world.hosts[role].start()));
    return world;
  }

  /** The API's current address; each restart gives it another port. */
  get url(): string {
    return `http://127.0.0.1:${String(this.hosts.api.facts['port'])}`;
  }

  async customer(): Promise<Customer> {
    const tenant = newId();
    const terms = { ...defaultTerms, rateLimitPerMin: 1_000_000 };
    await openAccount(this.accounts, byOperator('test', tenant), { name: 'Crash', terms });
    await grantCredits(this.accounts, byOperator('test', tenant), {
      amount: 1_000,
      kind: 'pack',
      label: 'Pack',
    });
    const capabilities = ['jobs:create', 'jobs:read', 'data:erase'] as const;
    const grant = { capabilities, label: 'crash' };
    const { key } = await issueKey(this.events.store, byOperator('test', tenant), grant);
    return { tenant, key };
  }

  /** Stores a picture as an upload does: its bytes in storage, its AssetStored in the log. */
  async upload(
    tenant: string,
    colour = '#987',
    { at = new Date(), ...facts }: Pick<StoredAsset, 'dataSubjects' | 'retainDays'> & { at?: Date } = {},
  ): Promise<StoredAsset> {
    const { bytes, width, height } = await plainPicture('person', colour);
    const assetId = newId();
    const asset: StoredAsset = {
      assetId,
      tenant,
      storageKey: `test/${tenant}/uploads/${assetId}.png`,
      width,
      height,
      contentType: 'image/png',
      sizeBytes: bytes.length,
      origin: 'upload',
      jobId: null,
      sha256: sha256Of(bytes),
      ...facts,
      at: at.toISOString(),
    };
    await this.storage.put(asset.storageKey, bytes);
    const event = toNewEvent({ type: 'AssetStored', data: asset }, 0, byOperator('test', tenant));
    await this.events.store.append(streamName('test', 'asset', assetId), 'no-stream', [event]);
    return asset;
  }

  /**
   * Ends the wait for what a dead process held: its lease on an Idempotency-Key, its heartbeat on a task. Call
   * it between a death and the start of the successor, when no live process can hold either.
   */
  async outwait(dead: Role): Promise<void> {
    if (dead === 'api') {
      await this.pool.query(
        `update test.idempotency_keys set locked_until = '-infinity' where status = 'running'`,
      );
    }
    if (dead === 'worker') {
      await this.pool.query(
        `update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'`,
      );
    }
  }

  /** Makes tasks that wait for their next attempt due at once. */
  async hurryRetries(): Promise<void> {
    await this.pool.query(
      `update pgboss.job set start_after = now() where state = 'retry' and start_after > now()`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(roles.map((role) => this.hosts[role].close()));
    await this.events.close();
    await this.pool.end();
    await this.database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

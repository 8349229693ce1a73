import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Environment } from '#domain/streams.js';
import { storeWith, type EventStore } from '#event-store/event-store.js';
import { createEventStorePool, PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { createPostgresSnapshotStore } from '#event-store/postgres/postgres-snapshot-store.js';
import type { SnapshotStore } from '#event-store/snapshots.js';
import { newId } from '#platform/ids.js';
import { eventStoreTemplate } from './postgres-event-store-harness.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import type { CommandContext } from '#application/command-context.js';
import { grantCredits, openAccount } from './operator.js';

const environment: Environment = 'test';

/**
 * For the specs of this library: an event store of its own on a real PostgreSQL, and tenants with credits in
 * it.
 */
export class AccountsFixture {
  private constructor(
    readonly database: TestDatabase,
    readonly pool: pg.Pool,
    readonly store: EventStore,
    readonly snapshots: SnapshotStore,
  ) {}

  static async start(): Promise<AccountsFixture> {
    const database = await createTestDatabase({ template: eventStoreTemplate });
    const pool = createEventStorePool(database.url);
    const store = new PostgresEventStore({ pool });
    return new AccountsFixture(database, pool, store, createPostgresSnapshotStore(pool));
  }

  /** For all tests of the spec that calls it. */
  static ofSpec(): AccountsFixture {
    const fixture = Object.create(AccountsFixture.prototype) as AccountsFixture;
    beforeAll(async () => void Object.assign(fixture, await AccountsFixture.start()));
    afterAll(() => fixture.stop());
    return fixture;
  }

  async stop(): Promise<void> {
    await this.store.close();
    await this.pool.end();
    await this.database.drop();
  }

  context(tenant: string, commandId = newId()): CommandContext {
    return { environment, tenant, commandId, requestId: commandId, actor: 'operator', at: new Date() };
  }

  async tenantWith(credits: number): Promise<string> {
    const tenant = newId();
    const writer = new AccountWriter(this.store, this.snapshots);
    await openAccount(writer, this.context(tenant), { name: 'Acme', terms: defaultTerms });
    await grantCredits(writer, this.context(tenant), { amount: credits, kind: 'pack', label: 'Starter' });
    return tenant;
  }

  /** The real store, with extra work around each append. */
  withAppend(around: (append: EventStore['append']) => EventStore['append']): EventStore {
    return storeWith(this.store, { append: around(this.store.append.bind(this.store)) });
  }
}

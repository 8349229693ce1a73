import { AccountWriter } from '#application/account/account-writer.js';
import type { AuditOptions, AuditReport } from '#capabilities/operate/audit/audit.js';
import { environments } from '#domain/streams.js';
import type { EventStore, NewEvent } from '#event-store/event-store.js';
import { createPostgresSnapshotStore } from '#event-store/postgres/postgres-snapshot-store.js';
import { readModels } from '#projections/read-models.js';
import { ReadStoreFixture } from '#read-store/testing/read-store-fixture.js';
import { audited } from '../../support/audited.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { Story } from './story.js';

/** An event store, a read store with all read models, and the audit that compares the two. */
export class AuditedStore implements AsyncDisposable {
  private constructor(readonly fixture: ReadStoreFixture) {}

  static async open(): Promise<AuditedStore> {
    return new AuditedStore(await ReadStoreFixture.create());
  }

  /** @param database a database that the store owns from now on */
  static on(database: TestDatabase, store?: EventStore): AuditedStore {
    return new AuditedStore(ReadStoreFixture.on(database, store));
  }

  /** Writes the events of a story without checking the revisions that they expect. */
  async write({ appends }: Story): Promise<void> {
    for (const { stream, event } of appends) await this.append(stream, event);
  }

  async append(stream: string, event: NewEvent): Promise<void> {
    const { outcome } = await this.fixture.store.append(stream, 'any', [event]);
    if (outcome !== 'appended') throw new Error(outcome);
  }

  startProjecting(): void {
    for (const environment of environments) this.fixture.start({ readModels, environment });
  }

  async projected(): Promise<void> {
    const head = (await this.fixture.store.head()) ?? 0n;
    for (const environment of environments) await this.fixture.passed(head, environment);
  }

  async sql(text: string, values: unknown[] = []): Promise<void> {
    await this.fixture.sql.query(text, values);
  }

  audit(more: Partial<AuditOptions> = {}): Promise<AuditReport> {
    const { store, url, sql: pool } = this.fixture;
    const accounts = new AccountWriter(store, createPostgresSnapshotStore(pool));
    const installation = { store, databaseUrl: url, accounts };
    return audited(installation, { horizonMs: 60_000, patienceMs: 2_000, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture.dispose();
  }
}

import { EventMacs } from '#event-store/authentic/event-macs.js';
import { testProof } from '../../../../test/support/signing-key.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import type { DomainEvent } from '#domain/events.js';
import { streamName, type Environment, type StreamCategory } from '#domain/streams.js';
import type { EventMetadata, EventStore, NewEvent } from '#event-store/event-store.js';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import type { Logger } from '#platform/logger.js';
import { readModels } from '#projections/read-models.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { migrateReadStore } from '../migrate.js';
import { runTasks } from '../exclusive-session.js';
import { ProjectionRunner, type ProjectionRunnerOptions } from '../projection-runner.js';
import { openPostgresStore } from '../../../../test/support/open-postgres-store.js';

export const silent: Logger = pino({ level: 'silent' });

const template = {
  name: 'read_store',
  async prepare(url: string) {
    const pool = createEventStorePool(url);
    await migrateEventStore(pool);
    await pool.end();
    await migrateReadStore(url, readModels);
  },
};

/** A database with an event store and an empty read store, and what specs do with them. */
export class ReadStoreFixture {
  private readonly running = new Set<{ stop: AbortController; ended: Promise<unknown> }>();

  private constructor(
    readonly url: string,
    readonly store: EventStore,
    /** For looking at tables. Revisions and positions come back as text. */
    readonly sql: pg.Pool,
    private readonly drop: () => Promise<void>,
  ) {}

  static async create(): Promise<ReadStoreFixture> {
    return ReadStoreFixture.on(await createTestDatabase({ template }));
  }

  /** @param database its own from now on */
  static on(database: TestDatabase, given?: EventStore): ReadStoreFixture {
    // For the commands of specs: writes events like the service does.
    const macs = new EventMacs(testProof);
    const store = given ?? openPostgresStore(database.url, { macs });
    const sql = new pg.Pool({ connectionString: database.url, max: 4 });
    sql.on('error', () => undefined);
    return new ReadStoreFixture(database.url, store, sql, () => database.drop());
  }

  async dispose(): Promise<void> {
    await this.stopRunners();
    await this.store.close();
    await this.sql.end();
    await this.drop();
  }

  /** Appends to the end of a stream, whatever it holds. Returns the position of the last event. */
  async append(
    category: StreamCategory,
    id: string,
    events: readonly DomainEvent[],
    { environment = 'live', tenant = id }: { environment?: Environment; tenant?: string } = {},
  ): Promise<bigint> {
    const stream = streamName(environment, category, id);
    const outcome = await this.store.append(
      stream,
      'any',
      events.map((event) => newEvent(event, tenant)),
    );
    if (outcome.outcome !== 'appended') throw new Error(outcome.outcome);
    return outcome.position;
  }

  /** Starts a runner that the fixture stops at the end. Returns how `run` resolves or rejects. */
  start(options: Pick<ProjectionRunnerOptions, 'readModels'> & Partial<ProjectionRunnerOptions>) {
    const runner = new ProjectionRunner({
      url: this.url,
      eventStore: this.store,
      environment: 'live',
      log: silent,
      ...options,
    });
    const stop = new AbortController();
    const common = { url: this.url, signal: stop.signal, log: silent, takeOverPollMs: 50 };
    const ended = runTasks({ ...common, tasks: [runner] });
    const entry = { stop, ended: ended.catch(() => undefined) };
    this.running.add(entry);
    const end = async () => {
      stop.abort();
      await entry.ended;
      this.running.delete(entry);
    };
    return { runner, ended, end };
  }

  async stopRunners(): Promise<void> {
    for (const { stop } of this.running) stop.abort();
    await Promise.all([...this.running].map(({ ended }) => ended));
    this.running.clear();
  }

  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.sql.query(sql, values)).rows as Row[];
  }

  /** Cuts the log back to an earlier position, as a restored backup would; later events are lost. */
  async restoreLog(position: bigint): Promise<void> {
    await this.rows(`alter table event_store.events disable trigger append_only`);
    await this.rows(`delete from event_store.events where position > $1`, [position]);
    await this.rows(`alter table event_store.events enable trigger append_only`);
    await this.rows(`update event_store.head set position = $1`, [position]);
  }

  /** The position of each read model of `live`, read from the database. */
  async positions(): Promise<Record<string, bigint | null>> {
    const rows = await this.rows<{ name: string; position: string | null }>(
      `select name, position from read_store.projections where environment = 'live'`,
    );
    return Object.fromEntries(
      rows.map(({ name, position }) => [name, position === null ? null : BigInt(position)]),
    );
  }

  /** Waits until all read models that a runner works on have passed the position. */
  async passed(position: bigint, environment: Environment = 'live'): Promise<void> {
    await eventually(async () => {
      const rows = await this.rows(
        `select from read_store.projections
          where environment = $1 and state = 'live' and (position is null or position < $2)
          union all select where not exists (select from read_store.projections where environment = $1)`,
        [environment, position],
      );
      return rows.length === 0;
    }, `the read models of ${environment} to pass ${position}`);
  }
}

export function newEvent(event: DomainEvent, tenant: string, more: Partial<EventMetadata> = {}): NewEvent {
  const metadata = {
    requestId: 'request',
    causationId: 'cause',
    tenant,
    actor: 'operator',
    schemaVersion: 1,
    recordedAt: event.data.at,
    ...more,
  };
  return { id: randomUUID(), type: event.type, data: event.data, metadata };
}

export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(10);
  }
}

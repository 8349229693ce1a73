import { testKeys } from '../../support/signing-key.js';
import { readModels } from '#projections/read-models.js';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { ImageEngines } from '#application/render/engine-run.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { defaultTerms } from '#application/account/manage-accounts.handler.js';
import { load, readForwards } from '#application/aggregate.js';
import { type Caller, toNewEvent, type CommandContext } from '#application/command-context.js';
import type { DispatchRequest } from '#application/dispatch/dispatched-jobs.js';
import type { Dispatcher } from '#application/dispatch/dispatcher.js';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import type { StoredAsset } from '#domain/asset/asset.js';
import type { DomainEvent, DomainEventType, EventOfType } from '#domain/events.js';
import { isUnfinished } from '#domain/job/job.js';
import { cancelJob } from '#domain/job/render-job.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import type { ImageEngine } from '@atelier/engine';
import type { EventStore } from '#event-store/event-store.js';
import { openEventStore, type OpenedEventStore } from '#event-store/open-event-store.js';
import { createEventStorePool } from '#event-store/postgres/postgres-event-store.js';
import { migrateEventStore } from '#event-store/postgres/schema.js';
import type { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { migrateReadStore } from '#read-store/migrate.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { configurationOn, startProjector, startWorker, type RunningWorker } from '../../support/roles.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { grantCredits, openAccount } from '../../support/operator.js';
import { dispatcherOn } from '../../support/command-bus.js';
import { decideOnJob } from '../../support/streams.js';

const environment = 'test';
const logger = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');

/** Workers that fall silent are found quickly here. */
export const impatience = { heartbeatSeconds: 2, superviseSeconds: 1 };

const template = {
  name: 'workshop',
  async prepare(url: string): Promise<void> {
    const pool = createEventStorePool(url, 1);
    await migrateEventStore(pool);
    await pool.end();
    await migrateReadStore(url, readModels);
    await (await PgBossRenderQueue.start({ url, logger, ...impatience })).stop(0);
  },
};

/** A service without its HTTP side, on a database of its own: dispatches, workers, a projector. */
export class Workshop implements AsyncDisposable {
  private readonly cleanups: (() => Promise<unknown>)[] = [];
  readonly accounts: AccountWriter;
  private readonly dispatcher: Dispatcher;

  private constructor(
    private readonly database: TestDatabase,
    private readonly events: OpenedEventStore,
    readonly folder: string,
    private readonly heartbeatSeconds: number,
  ) {
    this.accounts = new AccountWriter(events.store, events.snapshots);
    this.dispatcher = dispatcherOn(events.store, this.accounts);
  }

  /** @param heartbeatSeconds silence after which a worker counts as dead; choose it long if no worker dies */
  static async open({ heartbeatSeconds = impatience.heartbeatSeconds } = {}): Promise<Workshop> {
    const database = await createTestDatabase({ template });
    const folder = await mkdtemp(join(tmpdir(), 'atelier-workshop-'));
    return new Workshop(
      database,
      await openEventStore({ eventStoreUrl: database.url, databaseUrl: database.url }, { ...testKeys }),
      folder,
      heartbeatSeconds,
    );
  }

  get store(): EventStore {
    return this.events.store;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  private startQueue(): Promise<PgBossRenderQueue> {
    const { databaseUrl: url, heartbeatSeconds } = this;
    return PgBossRenderQueue.start({ url, logger, ...impatience, heartbeatSeconds });
  }

  get storage(): ObjectStorage {
    const directory = join(this.folder, 'objects');
    return new FolderStorage({ directory, signingSecret: 'for-tests-only', publicUrl: 'http://127.0.0.1' });
  }

  async startProjector(
    settings: { orphanHorizonMs?: number; sweepBatch?: number } = {},
  ): Promise<{ stop(): Promise<void> }> {
    const { databaseUrl } = this;
    const { store, snapshots } = this.events;
    const queue = await this.startQueue();
    const configuration = configurationOn(databaseUrl);
    const projector = await startProjector({
      store,
      snapshots,
      queue,
      logger,
      configuration: {
        ...configuration,
        storage: { kind: 'folder', directory: join(this.folder, 'objects'), signingSecret: 'for-tests-only' },
        projector: { ...configuration.projector, sweepIntervalMs: 100, ...settings },
      },
    });
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= projector.stop().then(() => queue.stop(0)));
    this.cleanups.unshift(stop);
    return { stop };
  }

  /** Waits until the read models of the environment show everything so far. */
  async readModelsCaughtUp(): Promise<void> {
    const head = (await this.store.head()) ?? 0n;
    // The rows are counted, because a new projector has no checkpoints yet that could be behind.
    const there = `select from read_store.projections where environment = $1 and position >= $2`;
    const caughtUp = async () => (await this.query(there, [environment, head])).rowCount;
    await eventually(async () => (await caughtUp()) === readModels.length);
  }

  async startWorker(
    drawn: ImageEngine | ((queue: PgBossRenderQueue) => ImageEngines),
    {
      concurrency,
      more,
      ...settings
    }: { renderTimeoutMs?: number; concurrency?: number; more?: Partial<Configuration> } = {},
  ): Promise<RunningWorker> {
    const queue = await this.startQueue();
    const { store, storage } = this;
    const engine = typeof drawn === 'function' ? drawn(queue) : drawn;
    const defaults = configurationOn(this.databaseUrl, more);
    const configuration = { ...defaults, workerConcurrency: concurrency ?? defaults.workerConcurrency };
    const worker = await startWorker({ store, storage, queue, logger, engine, configuration, ...settings });
    let stopped: Promise<void> | undefined;
    const stop = (graceMs = 0) => (stopped ??= worker.stop(graceMs));
    this.cleanups.unshift(stop);
    return { id: worker.id, stop };
  }

  async tenantWith(credits: number): Promise<string> {
    const tenant = newId();
    await openAccount(this.accounts, this.context(tenant), { name: 'Acme', terms: defaultTerms });
    await grantCredits(this.accounts, this.context(tenant), {
      amount: credits,
      kind: 'pack',
      label: 'Starter',
    });
    return tenant;
  }

  request(tenant: string, body: Record<string, unknown> = {}, workflow = 'model-generator'): DispatchRequest {
    const caller: Caller = { environment, tenant, keyId: 'key', capabilities: ['jobs:create'] };
    return { caller, workflow, endpoint: `/v1/${workflow}`, body, at: new Date() };
  }

  /** Debits and queues, as the API does. */
  async dispatch(
    tenant: string,
    body?: Record<string, unknown>,
    workflow?: string,
    model?: string,
  ): Promise<DispatchIds> {
    const ids = { requestId: newId(), jobId: newId() };
    await this.dispatchAs(ids, tenant, body, workflow, model);
    return ids;
  }

  /** @param model a vendor's model, in place of the engine that draws every request */
  async dispatchAs(
    ids: DispatchIds,
    tenant: string,
    body?: Record<string, unknown>,
    workflow?: string,
    model?: string,
  ) {
    const chosen = model === undefined ? {} : { imageModel: model, remote: true };
    const outcome = await this.dispatcher.dispatch(
      { ...this.request(tenant, body, workflow), ...chosen },
      ids,
    );
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  }

  /** Stores a picture as an upload does: its bytes in storage, its AssetStored in the log. */
  async upload(
    tenant: string,
    picture: { bytes: Buffer; width: number; height: number },
  ): Promise<StoredAsset> {
    const assetId = newId();
    const { bytes, width, height } = picture;
    const asset: StoredAsset = {
      assetId,
      tenant,
      storageKey: `${environment}/${tenant}/uploads/${assetId}.png`,
      width,
      height,
      contentType: 'image/png',
      sizeBytes: bytes.length,
      origin: 'upload',
      jobId: null,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      at: new Date().toISOString(),
    };
    await this.storage.put(asset.storageKey, bytes, asset.contentType);
    const event = toNewEvent({ type: 'AssetStored', data: asset }, 0, this.context(tenant));
    await this.store.append(streamName(environment, 'asset', assetId), 'no-stream', [event]);
    return asset;
  }

  decide(tenant: string, jobId: string, decide: Parameters<typeof decideOnJob>[3]): Promise<void> {
    return decideOnJob(this.store, this.context(tenant), jobId, decide);
  }

  cancel(tenant: string, jobId: string): Promise<void> {
    const command = { reason: 'Cancelled by the caller.', at: new Date().toISOString() };
    return this.decide(tenant, jobId, (job) => cancelJob(command, job));
  }

  async eventsOf(category: 'account' | 'job' | 'asset', id: string): Promise<DomainEvent[]> {
    const events: DomainEvent[] = [];
    for await (const page of readForwards(this.store, streamName(environment, category, id), 0n)) {
      events.push(...page.map(decode));
    }
    return events;
  }

  async find<Type extends DomainEventType>(
    category: 'account' | 'job',
    id: string,
    type: Type,
  ): Promise<EventOfType<Type>['data'][]> {
    const events = await this.eventsOf(category, id);
    // TypeScript does not see that the filter leaves only events of this type.
    return events.filter((event) => event.type === type).map(({ data }) => data as EventOfType<Type>['data']);
  }

  async types(category: 'account' | 'job', id: string): Promise<string[]> {
    return (await this.eventsOf(category, id)).map(({ type }) => type);
  }

  /** Waits until the job has ended and its charge is closed. */
  async ended(tenant: string, { jobId, requestId }: DispatchIds, withinMs?: number): Promise<void> {
    await eventually(async () => {
      const { state } = await load(this.store, streamName(environment, 'job', jobId), jobAggregate);
      if (state.status === 'unqueued' || isUnfinished(state)) return false;
      const { state: account } = await this.accounts.read(environment, tenant);
      return account.status !== 'unopened' && account.charges.get(requestId) === undefined;
    }, withinMs);
  }

  async balance(tenant: string): Promise<number> {
    const { state } = await this.accounts.read(environment, tenant);
    return state.status === 'unopened' ? 0 : state.balance;
  }

  context(tenant: string, commandId = newId()): CommandContext {
    return { environment, tenant, commandId, requestId: commandId, actor: 'operator', at: new Date() };
  }

  async query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cleanup of this.cleanups) await cleanup();
    await this.events.close();
    await this.database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

import pg from 'pg';
import type { DataSource } from 'typeorm';
import { AccountWriter } from '#application/account/account-writer.js';
import { watchAnnouncements, type Listener } from '#application/announcements.js';
import { JobWatch } from '#application/job/job-watch.js';
import { Authenticator } from '#application/key/authenticator.js';
import { AccountRates } from '#application/limits/account-rates.js';
import { Attempts } from '#application/limits/attempts.js';
import { MemoryRateLimitStore } from '#application/limits/rate-limit-store.js';
import { RateLimiter } from '#application/limits/rate-limiter.js';
import { observeOutcomes } from '#application/observed-outcomes.js';
import { Operations } from '#application/operation/operations.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import type { Configuration } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { traceAppends } from '#platform/traced-event-store.js';
import { CatalogReader } from '#projections/catalog/catalog.reader.js';
import { JobsReader } from '#projections/jobs/jobs.reader.js';
import { LedgerReader, readOpenCharges } from '#projections/ledger/ledger.reader.js';
import { PresetsReader } from '#projections/presets/presets.reader.js';
import { readModelEntities, readModels } from '#projections/read-models.js';
import { RendersReader } from '#projections/renders/renders.reader.js';
import { TimelineReader } from '#projections/timeline/timeline.reader.js';
import { UsageReader } from '#projections/usage/usage.reader.js';
import { CheckpointWatcher } from '#read-store/checkpoint-watcher.js';
import { consumersOf } from '#read-store/consumers.js';
import { createDataSource } from '#read-store/data-source.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { Installation } from '#read-store/installation.js';
import { PostgresRateLimitStore } from '#read-store/rate-limit-store.js';
import { pgBossQueueLevels } from '#render-queue/pg-boss-render-queue.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { openStorage } from '#storage/open-storage.js';
import type { ApiDependencies } from './api-dependencies.js';
import type { Entrance } from './auth/api-key.guard.js';
import { SignatureCheck } from './auth/signature.js';
import { StoredJobs } from './jobs/stored-jobs.js';
import type { EnvironmentReads } from '#application/read-models.js';

export type ApiConfiguration = Pick<
  Configuration,
  'databaseUrl' | 'eventStoreUrl' | 'storage' | 'publicUrl'
> &
  Partial<
    Pick<Configuration, 'rateLimitStore' | 'authFailuresPerMin' | 'signingKey' | 'imageModels' | 'projector'>
  >;

export interface OpenedDependencies extends AsyncDisposable {
  readonly dependencies: ApiDependencies;
}

const idempotencyConnections = 8;
const readConnections = 8;
const rateLimitConnections = 4;
const defaultAuthFailuresPerMin = 600;
const defaultOrphanHorizonMs = 60_000;

/** Connects the API to what the configuration names. Disposing of it closes all of that, in reverse order. */
export async function openDependencies(
  configuration: ApiConfiguration,
  logger: Logger,
  metrics?: Metrics,
): Promise<OpenedDependencies> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, eventStoreUrl } = configuration;

  const events = openEventStore(
    { eventStoreUrl, databaseUrl },
    metrics ? { observer: metrics.eventStore } : {},
  );
  opening.defer(events.close);
  const { snapshots } = events;
  const store = traceAppends(metrics ? observeOutcomes(events.store, metrics.outcomes) : events.store);
  const accounts = new AccountWriter(store, snapshots, {
    onSnapshotError: (err) => logger.warn({ err }, 'a snapshot was not saved'),
  });

  const keys = new Authenticator(store, systemClock);
  const rates = new AccountRates(accounts);
  const operations = new Operations(store);
  listen(store, [keys, rates], logger, opening);

  const jobWatch = new JobWatch(store, logger);
  opening.defer(() => jobWatch.stop());
  jobWatch.start();

  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: idempotencyConnections,
    connectionTimeoutMillis: 5_000,
  });
  // A connection that breaks while idle is replaced at the next use.
  pool.on('error', (err) => logger.warn({ err }, 'a database connection broke'));
  opening.defer(() => pool.end());

  const { rateLimitStore, authFailuresPerMin = defaultAuthFailuresPerMin, signingKey } = configuration;
  const buckets =
    rateLimitStore === 'postgres' ? openRateLimits(databaseUrl, logger, opening) : new MemoryRateLimitStore();
  const entrance: Entrance = {
    keys,
    attempts: new Attempts(authFailuresPerMin),
    limiter: new RateLimiter(buckets, rates, (err) =>
      logger.warn({ err }, 'the rate limit is counted by this process alone right now'),
    ),
    signatures: new SignatureCheck(signingKey),
  };

  const live = await openReads(databaseUrl, 'live', opening);
  const test = await openReads(databaseUrl, 'test', opening);
  const checkpoints = new CheckpointWatcher({ url: databaseUrl, log: logger });
  opening.defer(() => checkpoints.stop());
  await checkpoints.start();

  const installation = openInstallation(configuration, store, opening, metrics);
  const storage = openStorage(configuration);
  const dependencies: ApiDependencies = {
    ...{
      store,
      accounts,
      entrance,
      operations,
      checkpoints,
      storage,
      logger,
      reads: { of: (environment) => (environment === 'live' ? live : test) },
    },
    idempotency: new PostgresIdempotencyStore(pool),
    jobStreams: new StoredJobs(store),
    jobWatch,
    ...(configuration.imageModels ? { imageModels: configuration.imageModels } : {}),
    ...(storage instanceof FolderStorage ? { objects: storage } : {}),
    ...(metrics ? { metrics } : {}),
    problems: () => installation.problems(),
    clock: systemClock,
  };
  const opened = opening.move();
  return { dependencies, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** What is told of the installation as a whole: whether it is ready, and its levels when somebody scrapes them. */
function openInstallation(
  { databaseUrl, eventStoreUrl, projector }: ApiConfiguration,
  store: EventStore,
  opening: AsyncDisposableStack,
  metrics: Metrics | undefined,
): Installation {
  const consumers = consumersOf(readModels, processManagers);
  const installation = new Installation({ databaseUrl, eventStoreUrl, store, consumers });
  opening.defer(() => installation.close());
  const horizonMs = projector?.orphanHorizonMs ?? defaultOrphanHorizonMs;
  metrics?.watchInstallation({
    consumers: () => installation.consumers(),
    charges: () => readOpenCharges(installation.database, horizonMs),
    queues: pgBossQueueLevels(installation.database),
  });
  return installation;
}

async function openReads(
  url: string,
  schema: Environment,
  opening: AsyncDisposableStack,
): Promise<EnvironmentReads> {
  const source: DataSource = createDataSource({
    ...{ url, schema, entities: readModelEntities, poolSize: readConnections },
  });
  await source.initialize();
  opening.defer(() => source.destroy());
  return {
    jobs: new JobsReader(source),
    timeline: new TimelineReader(source),
    renders: new RendersReader(source),
    ledger: new LedgerReader(source),
    openCharges: new LedgerReader(source),
    usage: new UsageReader(source),
    presets: new PresetsReader(source),
    catalog: new CatalogReader(source),
  };
}

/** On connections of its own, and with little patience: every request waits for it. */
function openRateLimits(
  connectionString: string,
  logger: Logger,
  opening: AsyncDisposableStack,
): PostgresRateLimitStore {
  const pool = new pg.Pool({
    connectionString,
    max: rateLimitConnections,
    connectionTimeoutMillis: 1_000,
    query_timeout: 1_000,
    application_name: 'atelier-rate-limits',
  });
  pool.on('error', (err) => logger.warn({ err }, 'a database connection broke'));
  opening.defer(() => pool.end());
  return new PostgresRateLimitStore(pool);
}

/** Listens for as long as the process lives: a subscription that ends by an error begins anew. */
function listen(
  store: EventStore,
  listeners: readonly Listener[],
  logger: Logger,
  opening: AsyncDisposableStack,
): void {
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await watchAnnouncements(store, listeners, stopping.signal);
      } catch (err) {
        logger.warn(
          { err },
          'changes of keys, plans and prices are not heard of: they may take a minute now',
        );
        await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
      }
    }
  };
  const watching = watch();
  opening.defer(async () => {
    stopping.abort();
    await watching;
  });
}

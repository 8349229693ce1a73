import { testMasterKey, testSigningKey } from './signing-key.js';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { PlatformModule } from '#adapters/platform.module.js';
import { HousekeepingStoresModule, ReadStoreModule } from '#adapters/read-store.module.js';
import { QueueDatabaseModule } from '#adapters/render-queue.module.js';
import { openContext } from '#adapters/role-context.js';
import { freely, ImageEngines } from '#application/render/engine-run.js';
import { EventStore } from '#event-store/event-store.js';
import { SnapshotStore } from '#event-store/snapshots.js';
import type { Clock } from '#platform/clock.js';
import { loadConfiguration, type Configuration } from '#platform/configuration.js';
import { WordErasure } from '#event-store/word-erasure.js';
import type { Logger } from '#platform/logger.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { RenderQueue, TaskQueues } from '#render-queue/render-queue.js';
import { ObjectStorage } from '#storage/object-storage.js';
import type { ImageEngine } from '@atelier/engine';
import { Projector, ProjectorModule } from '../../apps/projector/src/projector.module.js';
import { RenderWorker, WorkerModule } from '../../apps/worker/src/worker.module.js';
import { portsOf } from './ports.js';

/** The configuration of a role on this database, with the changes of a test. */
export function configurationOn(databaseUrl: string, more: Partial<Configuration> = {}): Configuration {
  const variables = {
    DATABASE_URL: databaseUrl,
    URL_SIGNING_SECRET: 'for tests only',
    ATELIER_SIGNING_KEY: testSigningKey,
    ATELIER_MASTER_KEY: testMasterKey,
    ATELIER_UNSIGNED_PICTURES: 'accept',
    ATELIER_AUDIT_AT: 'off',
  };
  return { ...loadConfiguration(variables), ...more };
}

interface Parts {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly store: EventStore;
  readonly queue: RenderQueue;
}

interface WorkerParts extends Parts {
  readonly storage: ObjectStorage;
  /** One engine that draws every request, or the engines of an installation. */
  readonly engine: ImageEngine | ImageEngines;
  readonly renderTimeoutMs?: number | undefined;
}

/** A spec that makes its own render queue gets an empty one for all other tasks. */
function queuesOf(queue: RenderQueue): TaskQueues {
  if (queue instanceof PgBossRenderQueue) return queue;
  return {
    of: () => ({
      enqueue: () => Promise.resolve(),
      requeue: () => Promise.resolve(0),
      work: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    }),
  };
}

export interface RunningWorker {
  readonly id: string;
  /** @param graceMs time for running renders to end. Default: the configured time */
  stop(graceMs?: number): Promise<void>;
}

/** Starts a worker as its process does, on the ports of a test. It closes the queue, but no other port. */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { configuration, logger, store, storage, queue, engine, renderTimeoutMs } = parts;
  const settings = { configuration, logger };
  const ports = portsOf(
    [EventStore, store],
    [ObjectStorage, storage],
    [RenderQueue, queue],
    [ImageEngines, 'admit' in engine ? engine : { admit: () => Promise.resolve(freely(engine)) }],
    [TaskQueues, queuesOf(queue)],
  );
  const adapters = [PlatformModule.of(settings), ports, QueueDatabaseModule];
  const context = await openContext(WorkerModule.for(settings, { adapters, renderTimeoutMs }));
  return {
    id: context.get(RenderWorker).id,
    async stop(graceMs = configuration.stopGraceMs) {
      await queue.stop(graceMs);
      await context.close();
    },
  };
}

const nothingErased: WordErasure = {
  eraseWords: () => Promise.resolve({ erased: 0, underTenantKey: 0, plain: 0 }),
  eraseTenant: () => Promise.resolve(),
};

interface ProjectorParts extends Parts {
  readonly snapshots: SnapshotStore;
  /** Default: the computer's own. */
  readonly clock?: Clock;
  /** Default: it erases no words. */
  readonly erasure?: WordErasure;
}

export interface RunningProjector {
  /** The tasks that have stopped until the next start. */
  standingStill(): readonly string[];
  stop(): Promise<void>;
}

/** Starts a projector as its process does, on the ports of a test. It closes none of them. */
export async function startProjector(parts: ProjectorParts): Promise<RunningProjector> {
  const { configuration, logger, store, snapshots, queue, clock } = parts;
  const settings = { configuration, logger, ...(clock && { clock }) };
  const queues = portsOf([RenderQueue, queue], [TaskQueues, queuesOf(queue)]);
  const words = [WordErasure, parts.erasure ?? nothingErased] as const;
  const ports = portsOf([EventStore, store], [SnapshotStore, snapshots], words);
  const rows = [ReadStoreModule.with({ maxConnections: 1 }), HousekeepingStoresModule];
  const adapters = [PlatformModule.of(settings), ports, queues, ObjectStorageModule, ...rows];
  const context = await openContext(ProjectorModule.for(settings, adapters));
  const projector = context.get(Projector);
  return { standingStill: () => projector.standingStill(), stop: () => context.close() };
}

import type { AccountWriter } from '#application/account/account-writer.js';
import type { CatalogReads } from '#application/catalog/list-catalog.handler.js';
import type { Checkpoints } from '#application/consistency/read-your-writes.js';
import type { IdempotencyStore } from '#application/dispatch/idempotency.js';
import type { JobReads, JobStreams, TimelineReads } from '#application/job/job-view.js';
import type { JobWatch } from '#application/job/job-watch.js';
import type { LedgerReads } from '#application/ledger/list-transactions.handler.js';
import type { Operations } from '#application/operation/operations.js';
import type { PresetReads } from '#application/preset/list-presets.handler.js';
import type { RenderReads } from '#application/render/renders.handler.js';
import type { UsageReads } from '#application/usage/list-usage.handler.js';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import type { ImageModel } from '#platform/image-models.js';
import type { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import type { LookForProblems } from '#platform/role-server.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { Entrance } from './auth/api-key.guard.js';
import type { SignedObjects } from './objects/signed-objects.js';

/** The read models of one environment. */
export interface Reads {
  readonly jobs: JobReads;
  readonly timeline: TimelineReads;
  readonly renders: RenderReads;
  readonly ledger: LedgerReads;
  readonly usage: UsageReads;
  readonly presets: PresetReads;
  readonly catalog: CatalogReads;
}

/** All that the API stands on. Who wires it decides which store, database and bucket that is. */
export interface ApiDependencies {
  readonly store: EventStore;
  readonly accounts: AccountWriter;
  readonly entrance: Entrance;
  readonly operations: Operations;
  readonly idempotency: IdempotencyStore;
  readonly reads: Readonly<Record<Environment, Reads>>;
  readonly jobStreams: JobStreams;
  readonly jobWatch: JobWatch;
  readonly checkpoints: Checkpoints;
  readonly storage: ObjectStorage;
  /** What pictures can be asked of. Absent: the sketch model. */
  readonly imageModels?: readonly ImageModel[];
  /** Present where the API itself serves the objects. */
  readonly objects?: SignedObjects;
  /** Present where they are served. */
  readonly metrics?: Pick<Metrics, 'text' | 'contentType' | 'http'>;
  /** What keeps the service from serving. */
  readonly problems: LookForProblems;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const CLOCK = Symbol('clock');
export const STORAGE = Symbol('storage');
export const SIGNED_OBJECTS = Symbol('signed objects');
export const PROBLEMS = Symbol('problems');
export const METRICS = Symbol('metrics');

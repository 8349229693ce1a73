import type { AccountWriter } from '#application/account/account-writer.js';
import type { Checkpoints } from '#application/consistency/read-your-writes.js';
import type { IdempotencyStore } from '#application/dispatch/idempotency.js';
import type { JobWatch } from '#application/job/job-watch.js';
import type { Operations } from '#application/operation/operations.js';
import type { JobStreams, ReadModels } from '#application/read-models.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import type { ImageModel } from '#platform/image-models.js';
import type { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import type { LookForProblems } from '#platform/role-server.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { Entrance } from './auth/api-key.guard.js';
import type { SignedObjects } from './objects/signed-objects.js';

/** All that the API stands on. Who wires it decides which store, database and bucket that is. */
export interface ApiDependencies {
  readonly store: EventStore;
  readonly accounts: AccountWriter;
  readonly entrance: Entrance;
  readonly operations: Operations;
  readonly idempotency: IdempotencyStore;
  readonly reads: ReadModels;
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

import { AccountWriter, type AccountWriterOptions } from '#application/account/account-writer.js';
import { Dispatcher } from '#application/dispatch/dispatcher.js';
import type { IdempotencyStore } from '#application/dispatch/idempotency.js';
import type { References } from '#application/dispatch/references.js';
import { CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { sweepOrphans, type OrphanSweepOptions } from '#application/process-managers/orphan-sweep.js';
import type { JobStreams, JobWithoutTask } from '#application/read-models.js';
import type { StrandedJobs } from '#application/process-managers/stranded-jobs.js';
import { resumeFrom, type Anchor } from '#read-store/log-fit.js';
import type { WebhookTransport } from '#capabilities/webhooks/deliveries.js';
import type { Deliveries } from '#capabilities/webhooks/postgres-deliveries.js';
import type { DeliveryTask } from '#capabilities/webhooks/delivery.task.js';
import type { EventStore, SubscriptionBatch } from '#event-store/event-store.js';
import type { SnapshotStore } from '#event-store/snapshots.js';
import type { ImageEngine } from '@atelier/engine';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { Process, Scheduler } from './kernel/scheduler.js';
import { commandBusOn } from '../support/command-bus.js';
import type { Prices } from '#application/operation/operations.js';

export type Role = 'api' | 'worker' | 'projector';

/** The process that a piece belongs to. */
export interface Place {
  readonly role: Role;
  readonly process: Process;
  readonly scheduler: Scheduler;
  /** The pictures that are stored, by key. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
}

/**
 * How the pieces are put together. `sound` does it as the service does. A planted bug replaces one of these
 * with a faulty one, and the code under test does not know it.
 */
export interface Wiring {
  store(client: EventStore, place: Place): EventStore;
  /** @param unchecked the same snapshots without their digests */
  snapshots(client: SnapshotStore, unchecked: SnapshotStore): SnapshotStore;
  idempotency(client: IdempotencyStore): IdempotencyStore;
  accounts(
    store: EventStore,
    snapshots: SnapshotStore,
    options: AccountWriterOptions,
    place: Place,
  ): AccountWriter;
  dispatcher(
    store: EventStore,
    accounts: AccountWriter,
    references: References,
    prices: Prices,
    place: Place,
  ): Dispatcher;
  cancel(store: EventStore, accounts: AccountWriter, streams: JobStreams): CancelJobHandler;
  engine(engine: ImageEngine): ImageEngine;
  sweep(options: OrphanSweepOptions): Promise<unknown>;
  /** The events of a batch that the handlers of the processes get. */
  delivered(name: string, events: readonly ProjectedEvent[]): readonly ProjectedEvent[];
  /** Lets a projector look for jobs without a task. */
  look(stranded: StrandedJobs): Promise<unknown>;
  /** The jobs without a task that the projector sees. */
  withoutTask(jobs: readonly JobWithoutTask[]): readonly JobWithoutTask[];
  /** The overdue deliveries that get their task again. */
  overdue(tasks: readonly DeliveryTask[]): readonly DeliveryTask[];
  /** The deliveries that a sender of webhooks works with. */
  deliveries(deliveries: Deliveries): Deliveries;
  transport(transport: WebhookTransport): WebhookTransport;
  /** Where a consumer goes on, and the event that its checkpoint names. */
  readonly resume: typeof resumeFrom;
  anchorOf(batch: SubscriptionBatch): Anchor | undefined;
  /** True if an API process compares the checkpoints with the log before it accepts dispatches. */
  readonly watchesLog: boolean;
  /** The data that a reset leaves unchanged. */
  readonly resetKeeps: 'nothing' | 'rows' | 'process-managers';
  readonly checkpoint: 'last' | 'first';
  readonly fenced: boolean;
  readonly swallowsErrors: boolean;
  /** Whether rows and checkpoint of the read models are committed together. */
  readonly tables: 'together' | 'rows-first';
}

export const sound: Wiring = {
  store: (client) => client,
  snapshots: (client) => client,
  idempotency: (client) => client,
  accounts: (store, snapshots, options) => new AccountWriter(store, snapshots, options),
  dispatcher: (store, accounts, references, prices) =>
    new Dispatcher(commandBusOn({ store, accounts }), store, accounts, references, prices),
  cancel: (store, accounts, streams) => new CancelJobHandler(commandBusOn({ store, accounts }), streams),
  engine: (engine) => engine,
  sweep: (options) => sweepOrphans(options),
  delivered: (_name, events) => events,
  look: (stranded) => stranded.look('test'),
  withoutTask: (jobs) => jobs,
  overdue: (tasks) => tasks,
  deliveries: (deliveries) => deliveries,
  transport: (transport) => transport,
  resume: resumeFrom,
  anchorOf: ({ events }) => events.at(-1),
  watchesLog: true,
  resetKeeps: 'nothing',
  checkpoint: 'last',
  fenced: true,
  swallowsErrors: false,
  tables: 'together',
};

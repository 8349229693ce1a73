import { AccountWriter, type AccountWriterOptions } from '#application/account/account-writer.js';
import type { DispatchCheck } from '#application/dispatch/dispatch-check.js';
import { Dispatcher } from '#application/dispatch/dispatcher.js';
import type { IdempotencyStore } from '#application/dispatch/idempotency.js';
import type { References } from '#application/dispatch/references.js';
import { CancelJobHandler } from '#application/job/cancel-job.handler.js';
import type { HousekeepingTask } from '#application/process-managers/process-manager.js';
import { sweepOrphans, type OrphanSweepOptions } from '#application/process-managers/orphan-sweep.js';
import type { JobStreams, JobWithoutTask } from '#application/read-models.js';
import type { StrandedJobs } from '#application/process-managers/stranded-jobs.js';
import { resumeFrom, type Anchor } from '#read-store/log-fit.js';
import type { AfterRestore } from '#capabilities/erasure/after-restore.js';
import type { Extents } from '#capabilities/erasure/extent.js';
import type { HoldsInForce } from '#capabilities/erasure/keeping/holds-in-force.js';
import type { RefuseThings } from '#capabilities/erasure/refuse-things.js';
import type { WebhookTransport } from '#capabilities/webhooks/deliveries.js';
import type { Deliveries } from '#capabilities/webhooks/postgres-deliveries.js';
import type { DeliveryTask } from '#capabilities/webhooks/delivery.task.js';
import type { EventStore, SubscriptionBatch } from '#event-store/event-store.js';
import type { SnapshotStore } from '#event-store/snapshots.js';
import type { WordErasure } from '#event-store/word-erasure.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import { commandBusOn } from '../support/command-bus.js';
import type { Prices } from '#application/operation/operations.js';

export type Role = 'api' | 'worker' | 'projector';

/** The process that a client of the store belongs to. */
interface Place {
  readonly role: Role;
  /** The pictures that are stored, by key. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
}

/**
 * How the pieces are put together, here as the service does it. A planted bug replaces one of these with a faulty
 * one, and the code under test does not know it.
 */
export const sound = {
  store: (client: EventStore, _place: Place): EventStore => client,
  /** @param _unchecked the same snapshots without their digests */
  snapshots: (client: SnapshotStore, _unchecked: SnapshotStore): SnapshotStore => client,
  idempotency: (client: IdempotencyStore): IdempotencyStore => client,
  accounts: (store: EventStore, snapshots: SnapshotStore, options: AccountWriterOptions) =>
    new AccountWriter(store, snapshots, options),
  dispatcher: (store: EventStore, accounts: AccountWriter, references: References, prices: Prices) =>
    new Dispatcher(commandBusOn({ store, accounts }), store, accounts, references, prices),
  cancel: (
    store: EventStore,
    accounts: AccountWriter,
    streams: JobStreams,
  ): Pick<CancelJobHandler, 'execute'> => new CancelJobHandler(commandBusOn({ store, accounts }), streams),
  sweep: (options: OrphanSweepOptions): Promise<unknown> => sweepOrphans(options),
  /** The events of a batch that the handlers of the processes get. */
  delivered: (_name: string, events: readonly ProjectedEvent[]) => events,
  /** Lets a projector look for jobs without a task. */
  look: (stranded: StrandedJobs): Promise<unknown> => stranded.look('test'),
  /** The jobs without a task that the projector sees. */
  withoutTask: (jobs: readonly JobWithoutTask[]) => jobs,
  /** The overdue deliveries that get their task again. */
  overdue: (tasks: readonly DeliveryTask[]) => tasks,
  /** The deliveries that a sender of webhooks works with. */
  deliveries: (deliveries: Deliveries) => deliveries,
  transport: (transport: WebhookTransport): WebhookTransport => transport,
  /** The storage in the view of erasures. */
  erasedStorage: (storage: ObjectStorage): ObjectStorage => storage,
  extents: (extents: Extents): Extents => extents,
  holds: (holds: HoldsInForce): HoldsInForce => holds,
  refusals: (refusals: RefuseThings): RefuseThings => refusals,
  words: (words: WordErasure): WordErasure => words,
  /** A process erases again what a restored log lacks, before it does anything else. */
  afterRestore: (work: AfterRestore): Promise<void> => work.onApplicationBootstrap(),
  /** Erases things whose time is over. */
  expiry: (task: HousekeepingTask): HousekeepingTask => task,
  unfinished: (task: HousekeepingTask): HousekeepingTask => task,
  latePictures: (task: HousekeepingTask): HousekeepingTask => task,
  releaseCheck: (check: DispatchCheck): DispatchCheck => check,
  /** Where a consumer goes on, and the event that its checkpoint names. */
  resume: resumeFrom,
  anchorOf: ({ events }: SubscriptionBatch): Anchor | undefined => events.at(-1),
  /** True if an API process compares the checkpoints with the log before it accepts dispatches. */
  watchesLog: true as boolean,
  /** False plants a bug: erasures and expiry also believe rows that show what a restored log has lost. */
  comparesRowsWithLog: true as boolean,
  /** The data that a reset leaves unchanged. */
  resetKeeps: 'nothing' as 'nothing' | 'rows' | 'process-managers',
  checkpoint: 'last' as 'last' | 'first',
  fenced: true as boolean,
  swallowsErrors: false as boolean,
  /** Whether rows and checkpoint of the read models are committed together. */
  tables: 'together' as 'together' | 'rows-first',
};

export type Wiring = Readonly<typeof sound>;

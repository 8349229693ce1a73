import type { AccountWriterOptions } from '#application/account/account-writer.js';
import { streamName, type Environment } from '#domain/streams.js';
import { authenticSnapshots } from '#event-store/snapshots.js';
import { withSharedSubscriptions } from '#event-store/shared-subscriptions.js';
import { createLogger } from '#platform/logger.js';
import { Invariants } from './invariants.js';
import { short } from './invariants/price-book.js';
import { TableBook } from './invariants/table-book.js';
import { Scheduler, type Process } from './kernel/scheduler.js';
import { Checkpoints } from './services/checkpoints.js';
import { IdempotencyKeys } from './services/idempotency.js';
import type { DeliveryTask } from '#capabilities/webhooks/delivery.task.js';
import type { RenderTask } from '#render-queue/render-queue.js';
import { SimulatedQueue } from './services/queue.js';
import { Tables } from './services/tables.js';
import type { StoredDeliveries } from './services/webhooks.js';
import type { DestroyedKeys } from './services/words.js';
import type { Network } from './store/network.js';
import { SimulatedEventStore } from './store/simulated-event-store.js';
import { SimulatedLog } from './store/simulated-log.js';
import { SimulatedSnapshotStore, type StoredSnapshots } from './store/simulated-snapshot-store.js';
import type { Role, Wiring } from './wiring.js';

export const environment: Environment = 'test';
export const orphanHorizonMs = 60_000;
const snapshotSecret = 'a secret that is not in the database';

/**
 * Snapshots are frequent, batches small and remembered accounts few, so that all of it matters in a short run.
 */
export function accountSettings(scheduler: Scheduler): AccountWriterOptions {
  return {
    snapshotEvery: 3,
    maxBatch: 1 + scheduler.choose(4),
    cachedAccounts: 1 + scheduler.choose(2),
  };
}

/**
 * Everything that the processes of a simulated installation share and that outlives each of them: the log, the
 * read models' database, the queue, the objects. The invariants, which see all of it, are here as well.
 */
export class Installation {
  readonly scheduler = new Scheduler();
  readonly log = new SimulatedLog();
  readonly snapshots: StoredSnapshots = new Map();
  readonly objects = new Map<string, Uint8Array>();
  readonly destroyedKeys: DestroyedKeys = new Map();
  readonly queue = new SimulatedQueue<RenderTask>(this.scheduler, ({ jobId }) => jobId);
  readonly deliveries: StoredDeliveries = new Map();
  readonly deliveryQueue = new SimulatedQueue<DeliveryTask>(this.scheduler, ({ deliveryId }) => deliveryId);
  readonly keys = new IdempotencyKeys(this.scheduler);
  readonly checkpoints: Checkpoints;
  readonly tables = new Tables();
  invariants!: Invariants;
  tableBook!: TableBook;
  private readonly clients: SimulatedEventStore[] = [];
  readonly logger = createLogger('simulation', 'silent');
  readonly clock = () => new Date(this.scheduler.now);

  constructor(
    readonly wiring: Wiring,
    readonly trace: (line: string) => void,
    private readonly together: boolean,
  ) {
    this.checkpoints = new Checkpoints(this.scheduler, trace, wiring.fenced, this.log, this.report);
    this.invariants = new Invariants(() => this.scheduler.now, orphanHorizonMs, this);
    this.openTableBook();
    this.log.onCommitted = (event) => {
      trace(
        `    ${event.stream.replace('test.', '')} ${event.revision}: ${event.type} ${summary(event.data)}`,
      );
      this.invariants.observe(event);
    };
  }

  readonly report = (violation: string) => void this.invariants.violations.push(violation);

  private openTableBook(): void {
    this.tableBook = new TableBook(this.report, this.invariants, this, this.tables);
  }

  /** Restores the log from an older backup; everything else stays. No process may be alive. */
  restoreLog(lostEvents: number): void {
    this.log.restore(this.scheduler, lostEvents);
    this.invariants = this.invariants.restored(this.log.events);
    this.openTableBook();
  }

  /** `atelier checkpoints reset`. No process may live. */
  reset(): void {
    const { resetKeeps } = this.wiring;
    if (resetKeeps !== 'rows') this.tables.clear();
    this.snapshots.clear();
    this.keys.forgetLost((jobId) => !this.log.streamOf(streamName(environment, 'job', jobId)));
    this.checkpoints.reset((name) => resetKeeps === 'process-managers' && name !== 'projections');
    this.loseTasks('all');
    this.openTableBook();
  }

  /** Removes the tasks from both queues. */
  loseTasks(which: 'waiting' | 'all'): void {
    this.queue.lose(which);
    this.deliveryQueue.lose(which);
  }

  /** Called when a process dies, falls silent or comes back: locks and claims may be free. */
  processesChanged(): void {
    this.checkpoints.holdersChanged();
    this.queue.wake();
    this.deliveryQueue.wake();
  }

  /** Node keeps signals that have listeners, and everything that waits for them, until the signals abort. */
  async end(): Promise<void> {
    for (const client of this.clients) await client.close();
  }

  /** An attacker with the password of the read store writes another balance, or another account's snapshot. */
  alterSnapshot(chance: number): void {
    const keys = [...this.snapshots.keys()];
    const [key, other] = [keys[chance % keys.length], keys[(chance + 1) % keys.length]];
    const [known, foreign] = [key, other].map((each) => this.snapshots.get(each ?? ''));
    if (key === undefined || !known || !foreign) return;
    const raised = known.state.replace(
      /"balance":(\d+)/,
      (_, balance) => `"balance":${Number(balance) + 50}`,
    );
    this.snapshots.set(key, chance % 3 === 0 ? foreign : { ...known, state: raised });
    this.trace(`    somebody alters the snapshot of ${key}`);
  }

  /** The event store and the snapshots as one process reaches them. */
  storesFor(role: Role, process: Process, network: Network) {
    const { log, scheduler, together, objects } = this;
    const client = new SimulatedEventStore({ log, scheduler, process, network, together, largestBatch: 6 });
    this.clients.push(client);
    // The buffer is so small that subscriptions fall out of it and come back.
    const shared = withSharedSubscriptions(client, { maxEvents: 12 });
    const unchecked = new SimulatedSnapshotStore(this.snapshots, scheduler, process, this.trace);
    const onDropped = () => this.trace('    a snapshot that was altered is found');
    const snapshots = authenticSnapshots(unchecked, snapshotSecret, onDropped);
    return {
      store: this.wiring.store(shared, { role, objects }),
      snapshots: this.wiring.snapshots(snapshots, unchecked),
    };
  }
}

const shown = [
  'label',
  'erasureId',
  'step',
  'chargeId',
  'amount',
  'attempt',
  'stage',
  'code',
  'reason',
  'credits',
  'from',
];

function summary(data: unknown): string {
  const fields = { ...(data as { request?: object }).request, ...(data as object) } as Record<
    string,
    unknown
  >;
  return shown
    .filter((name) => fields[name] !== undefined && fields[name] !== null)
    .map((name) => `${name}=${name === 'chargeId' ? short(String(fields[name])) : String(fields[name])}`)
    .join(' ');
}

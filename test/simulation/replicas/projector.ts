import type { CommandBus } from '@nestjs/cqrs';
import type { AccountWriter } from '#application/account/account-writer.js';
import {
  batchParents,
  batchParentsFollows,
  chargeCloser,
  chargeCloserFollows,
  filterOf,
  renderDispatcher,
  renderDispatcherFollows,
} from '#application/process-managers/process-managers.js';
import { BatchParents } from '#application/process-managers/batch-parents.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { RenderDispatcher } from '#application/process-managers/render-dispatcher.js';
import { WebhookDispatcher } from '#capabilities/webhooks/webhook-dispatcher.js';
import {
  webhookDispatcher,
  webhookDispatcherFollows,
} from '#capabilities/webhooks/webhook-dispatcher.follows.js';
import { erasureProcess, erasureProcessFollows } from '#capabilities/erasure/erasure-process.follows.js';
import { releaseKeeper, releaseKeeperFollows } from '#capabilities/releases/release-keeper.follows.js';
import type { EventStore } from '#event-store/event-store.js';
import type { JobWithoutTask, OpenCharges, OrphanCandidate } from '#application/read-models.js';
import { StrandedJobs } from '#application/process-managers/stranded-jobs.js';
import type { JobRow } from '#projections/jobs/jobs.read-model.js';
import type { RenderQueue, RenderTask } from '#render-queue/render-queue.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import { accountSettings, environment, orphanHorizonMs } from '../installation.js';
import { erasingIn, type Erasing } from '../services/erasing.js';
import { runSimulatedProcess, type SimulatedProcessOptions } from '../services/run-process.js';
import { SimulatedDeliveries } from '../services/webhooks.js';
import { simulatedSecrets } from './simulated-secrets.js';
import { Replica } from './replica.js';
import { commandBusOn } from '../../support/command-bus.js';

export const projections = 'projections';
export const processNames = [
  renderDispatcher,
  chargeCloser,
  batchParents,
  webhookDispatcher,
  erasureProcess,
  releaseKeeper,
  projections,
] as const;

/** After this long the queue counts a due delivery as lost. */
export const overdueMs = 10 * 60_000;

interface Consumers {
  readonly dispatcher: RenderDispatcher;
  readonly closer: ChargeCloser;
  readonly batches: BatchParents;
  readonly accounts: AccountWriter;
}

/** The columns of the ledger that the sweep reads. */
interface LedgerRow {
  readonly tenant: string;
  readonly id: string;
  readonly jobId: string | null;
  readonly status: string;
  readonly createdAt: Date;
}

/** One projector process, wired as `apps/projector` is, on simulated checkpoints and tables. */
export class ProjectorReplica extends Replica {
  private store!: EventStore;
  private commands!: CommandBus;
  private stranded!: StrandedJobs;
  private deliveries!: SimulatedDeliveries;
  private erasing!: Erasing;

  /** Runs the periodic sweep. @returns its result in words */
  async sweep(): Promise<string> {
    const { clock, logger, wiring } = this.installation;
    const { commands } = this;
    const openCharges: OpenCharges = {
      openChargesOlderThan: (before, limit, after) => this.openChargesOlderThan(before, limit, after),
    };
    const swept = await wiring.sweep({ environment, commands, openCharges, clock, logger, orphanHorizonMs });
    return JSON.stringify(swept);
  }

  /** Runs the other periodic job: lost tasks are queued again. @returns its result in words */
  async look(): Promise<string> {
    const { wiring, deliveryQueue, scheduler } = this.installation;
    const helped = await wiring.look(this.stranded);
    const overdue = await this.deliveries.overdue(environment, new Date(scheduler.now - overdueMs));
    deliveryQueue.requeue(wiring.overdue(overdue));
    return `${String(helped)} tasks put back`;
  }

  /** Runs the housekeeping of erasures and releases. @returns its result in words */
  async tend(): Promise<string> {
    const { wiring, invariants, tables, scheduler } = this.installation;
    const { expiry, unfinished, latePictures, releaseCare } = this.erasing.housekeeping;
    const { signal } = new AbortController();
    await wiring.expiry(expiry).tend(environment, signal);
    await wiring.unfinished(unfinished).tend(environment, signal);
    const [shown, at] = [tables.position, scheduler.now];
    await wiring.latePictures(latePictures).tend(environment, signal);
    invariants.erasures.lookedForLate(shown, at);
    await releaseCare.tend(environment, signal);
    return 'done';
  }

  protected boot(): void {
    const { installation, process } = this;
    const { scheduler, wiring, clock, queue } = installation;
    const { store, snapshots } = installation.storesFor('projector', process, this.network);
    const nextTurn = () => scheduler.turn(process);
    this.store = store;
    const accounts = wiring.accounts(store, snapshots, { ...accountSettings(scheduler), nextTurn });
    this.commands = commandBusOn({ store, accounts });
    // Here the queue is only used to put tasks back.
    const requeueing = {
      requeue: async (tasks: readonly RenderTask[]) => {
        await scheduler.turn(process);
        return queue.requeue(tasks);
      },
    } as unknown as RenderQueue;
    // So few that forgotten batches are read again now and then.
    const rememberedBatches = 2;
    const dispatcher = new RenderDispatcher(store, requeueing, rememberedBatches);
    const closer = new ChargeCloser(this.commands, store, clock);
    const batches = new BatchParents(this.commands, store, clock);
    this.stranded = new StrandedJobs({ find: () => this.jobsWithoutTask() }, requeueing, batches, store);
    this.deliveries = new SimulatedDeliveries(installation.deliveries, scheduler, process);
    this.erasing = erasingIn(installation, process, { store, commands: this.commands });
    this.inBackground(this.name, this.begin({ dispatcher, closer, batches, accounts }));
  }

  private async begin({ dispatcher, closer, batches, accounts }: Consumers): Promise<void> {
    const { store, installation, erasing } = this;
    const { queue, clock } = installation;
    await this.afterRestore(erasing.afterRestore);
    await erasing.known.onApplicationBootstrap();
    this.run(renderDispatcher, filterOf(renderDispatcherFollows, environment), async (events) => {
      const tasks = await dispatcher.tasksOf(environment, events);
      return () => queue.enqueue(tasks);
    });
    this.run(chargeCloser, filterOf(chargeCloserFollows, environment), (events) =>
      closer.handle(environment, events),
    );
    this.run(batchParents, filterOf(batchParentsFollows, environment), (events) =>
      batches.handle(environment, events),
    );
    const settings = { publicUrl: 'https://atelier.example', signingKey: simulatedSecrets.signingKey };
    // The deliveries that it finds are written below, in the step that moves the checkpoint.
    const unused = undefined as never;
    const webhooks = new WebhookDispatcher(store, accounts, unused, unused, settings, clock);
    this.run(
      webhookDispatcher,
      filterOf(webhookDispatcherFollows, environment),
      async (events) => {
        const { deliveries } = await webhooks.workOf(environment, events);
        return () => installation.deliveryQueue.enqueue(this.deliveries.addNow(environment, deliveries));
      },
      () => webhooks.begin(environment),
    );
    this.run(erasureProcess, filterOf(erasureProcessFollows, environment), (events) =>
      erasing.erasures.handle(environment, events),
    );
    this.run(releaseKeeper, filterOf(releaseKeeperFollows, environment), (events) =>
      erasing.keeper.handle(environment, events),
    );
    this.run(projections, undefined, (events) => this.project(events));
  }

  private run(
    name: string,
    filter: SimulatedProcessOptions['filter'],
    handle: SimulatedProcessOptions['handle'],
    begin: () => void = () => undefined,
  ): void {
    const { scheduler, checkpoints, wiring } = this.installation;
    const running = runSimulatedProcess({
      scheduler,
      checkpoints,
      name,
      filter,
      begin,
      wiring: name === projections ? { ...wiring, checkpoint: 'last' } : wiring,
      process: this.process,
      store: this.store,
      handle: (events) => handle(wiring.delivered(name, events)),
    });
    this.inBackground(name, running);
  }

  /** Loads rows and folds. The transaction that moves the checkpoint does the writing. */
  private async project(events: readonly ProjectedEvent[]): Promise<() => void> {
    const { scheduler, tables, tableBook, wiring, invariants } = this.installation;
    await scheduler.turn(this.process);
    const position = events.at(-1)?.position ?? tables.position;
    try {
      const changes = tables.fold(events);
      await scheduler.turn(this.process);
      const write = () => tables.apply(changes, position);
      if (wiring.tables === 'rows-first') {
        write();
        await scheduler.turn(this.process);
        return () => tableBook.committed();
      }
      return () => {
        write();
        tableBook.committed();
      };
    } catch (error) {
      invariants.violations.push(`8: a read model cannot apply an event: ${String(error)}`);
      throw error;
    }
  }

  /** Answers the query of `StoredJobsWithoutTask` to PostgreSQL. */
  private async jobsWithoutTask(): Promise<readonly JobWithoutTask[]> {
    const { scheduler, tables, queue, wiring } = this.installation;
    await scheduler.turn(this.process);
    const tasks = new Set(queue.open);
    // The rows of that table are the jobs'.
    const unfinished = ([...tables.rowsOf('jobs').values()] as JobRow[]).filter((job) => !job.finishedAt);
    const parents = new Set(
      unfinished.filter(({ publicId }) => tasks.has(publicId)).map(({ parentJobId }) => parentJobId),
    );
    return wiring.withoutTask(
      unfinished
        .filter(
          ({ publicId, parentJobId }) => !tasks.has(publicId) && !(parentJobId && tasks.has(parentJobId)),
        )
        .filter(({ publicId }) => !parents.has(publicId))
        .map(({ publicId: jobId, tenant, parentJobId }) => ({ jobId, tenant, parentJobId })),
    );
  }

  /** Answers the query of `LedgerReader` to PostgreSQL, from the same two tables. */
  private async openChargesOlderThan(
    before: Date,
    limit: number,
    after: OrphanCandidate | undefined,
  ): Promise<OrphanCandidate[]> {
    const { scheduler, tables } = this.installation;
    await scheduler.turn(this.process);
    // The rows of these tables are the jobs' and the ledger's.
    const jobs = tables.rowsOf('jobs') as ReadonlyMap<string, JobRow>;
    const goesOn = (jobId: string | null) => {
      const job = jobs.get(JSON.stringify([jobId]));
      return job && (!job.finishedAt || job.finishedAt >= before);
    };
    const candidates = ([...tables.rowsOf('ledger').values()] as LedgerRow[])
      .filter(({ status, createdAt }) => status === 'PENDING' && createdAt < before)
      .filter(({ jobId }) => !goesOn(jobId))
      .map(({ tenant, id, jobId, createdAt }) => ({
        tenant,
        chargeId: id,
        jobId: jobId ?? 'none',
        createdAt,
      }))
      .toSorted((one, other) => placeOf(one).localeCompare(placeOf(other)));
    return candidates.filter((each) => !after || placeOf(each) > placeOf(after)).slice(0, limit);
  }
}

/** Oldest first, and those of one moment by their id. */
function placeOf({ createdAt, chargeId }: OrphanCandidate): string {
  return `${createdAt.toISOString()} ${chargeId}`;
}

import type { AccountWriter } from '#application/account/account-writer.js';
import { DispatchWorkflowHandler } from '#application/dispatch/dispatch-workflow.handler.js';
import { Announcements } from '#application/announcements.js';
import { References } from '#application/dispatch/references.js';
import type { CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { Operations } from '#application/operation/operations.js';
import { StoredPictures } from '#application/picture/stored-pictures.js';
import { RegisterProductHandler } from '#application/product/manage-products.handler.js';
import type { CommandBus } from '@nestjs/cqrs';
import { ReleaseCheck } from '#capabilities/releases/release-check.js';
import type { EventStore } from '#event-store/event-store.js';
import { StoredJobs } from '#adapters/stored-jobs.js';
import { accountSettings } from '../installation.js';
import { LogWatch } from '#read-store/log-watch.js';
import { commandBusOn } from '../../support/command-bus.js';
import { erasingIn, type Erasing } from '../services/erasing.js';
import { SimulatedStorage } from '../services/storage.js';
import { Replica } from './replica.js';

/** The handlers of one API process, put together as `apps/api` does. */
export class ApiReplica extends Replica {
  accounts!: AccountWriter;
  dispatch!: DispatchWorkflowHandler;
  cancel!: Pick<CancelJobHandler, 'execute'>;
  store!: EventStore;
  commands!: CommandBus;
  erasing!: Erasing;
  storage!: SimulatedStorage;
  products!: RegisterProductHandler;
  /** Resolves when it answers requests. */
  ready!: Promise<void>;
  /** True if the checkpoints fit the log, by this process's last check. */
  log!: LogWatch;

  protected boot(): void {
    const { installation, process } = this;
    const { wiring, scheduler, keys } = installation;
    const { store, snapshots } = installation.storesFor('api', process, this.network);
    const nextTurn = () => scheduler.turn(process);
    this.store = store;
    this.log = new LogWatch(
      {
        query: async (text) => {
          await scheduler.turn(process);
          const bound = [{ identity: installation.log.identity, place: 'here' }];
          return { rows: text.includes('checkpoint_log') ? bound : [...installation.checkpoints.anchors] };
        },
      },
      { store, place: 'here' },
    );
    this.accounts = wiring.accounts(store, snapshots, { ...accountSettings(scheduler), nextTurn });
    const prices = new Operations(store, installation.clock);
    const commands = commandBusOn({ store, accounts: this.accounts });
    this.commands = commands;
    this.erasing = erasingIn(installation, process, { store, commands });
    const pictures = new StoredPictures(store, { assets: 10, jobs: 10 });
    const check = wiring.releaseCheck(new ReleaseCheck(this.erasing.known));
    const references = new References(store, pictures, check);
    this.storage = new SimulatedStorage(installation.objects, scheduler, process);
    this.products = new RegisterProductHandler(store, pictures);
    const announcements = new Announcements(store, [pictures], installation.logger);
    this.ready = this.begin(announcements);
    const dispatcher = wiring.dispatcher(store, this.accounts, references, prices);
    const idempotency = wiring.idempotency(keys.clientIn(process));
    this.dispatch = new DispatchWorkflowHandler(dispatcher, idempotency);
    this.cancel = wiring.cancel(store, this.accounts, new StoredJobs(store));
  }
  private async begin(announcements: Announcements): Promise<void> {
    const { invariants, log } = this.installation;
    invariants.releases.booted(this.name, log.head);
    await this.afterRestore(this.erasing.afterRestore);
    await this.erasing.known.onApplicationBootstrap();
    await announcements.onApplicationBootstrap();
  }
}

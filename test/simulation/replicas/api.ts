import type { AccountWriter } from '#application/account/account-writer.js';
import { DispatchWorkflowHandler } from '#application/dispatch/dispatch-workflow.handler.js';
import { References } from '#application/dispatch/references.js';
import type { CancelJobHandler } from '#application/job/cancel-job.handler.js';
import { Operations } from '#application/operation/operations.js';
import { StoredPictures } from '#application/picture/stored-pictures.js';
import type { EventStore } from '#event-store/event-store.js';
import { StoredJobs } from '#adapters/stored-jobs.js';
import { accountSettings } from '../installation.js';
import { LogWatch } from '#read-store/log-watch.js';
import { Replica } from './replica.js';

/** The handlers of one API process, put together as `apps/api` does. */
export class ApiReplica extends Replica {
  accounts!: AccountWriter;
  dispatch!: DispatchWorkflowHandler;
  cancel!: Pick<CancelJobHandler, 'execute'>;
  store!: EventStore;
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
    const references = new References(store, new StoredPictures(store, { assets: 10, jobs: 10 }));
    const dispatcher = wiring.dispatcher(store, this.accounts, references, prices);
    const idempotency = wiring.idempotency(keys.clientIn(process));
    this.dispatch = new DispatchWorkflowHandler(dispatcher, idempotency);
    this.cancel = wiring.cancel(store, this.accounts, new StoredJobs(store));
  }
}

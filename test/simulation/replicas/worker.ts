import { Cancellations } from '#application/render/cancellations.js';
import { freely } from '#application/render/engine-run.js';
import type { FinishedPicture } from '#application/render/finished-pictures.js';
import { JobRenderer } from '#application/render/job-renderer.js';
import { WebhookSender } from '#capabilities/webhooks/webhook-sender.js';
import type { Deliveries } from '#capabilities/webhooks/postgres-deliveries.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { SimulatedEngine } from '../services/engine.js';
import { SimulatedStorage } from '../services/storage.js';
import { SimulatedDeliveries, SimulatedReceiver } from '../services/webhooks.js';
import { simulatedSecrets } from './simulated-secrets.js';
import { Replica } from './replica.js';
import { commandBusOn } from '../../support/command-bus.js';

const slots = 2;

/** One worker process, wired as `apps/worker` is, on the simulated queue. */
export class WorkerReplica extends Replica {
  protected boot(): void {
    const { installation, process } = this;
    const { scheduler, logger, clock, queue, invariants, trace } = installation;
    const { store } = installation.storesFor('worker', process, this.network);
    const cancellations = new Cancellations(store, logger);
    void cancellations.onApplicationBootstrap();
    const engine = new SimulatedEngine(scheduler, process, (label, inputs) => {
      trace(`    ${this.name} calls the engine for ${label}`);
      return invariants.engineCalled(label, inputs);
    });
    const storage = new SimulatedStorage(installation.objects, scheduler, process);
    const timeoutAfter = (ms: number) => {
      const timeout = new AbortController();
      scheduler.later(process, ms, () => timeout.abort(new Error('too slow')));
      return timeout.signal;
    };
    const renderer = new JobRenderer(
      { workerId: `${this.name}-${newId()}`, timeoutAfter },
      commandBusOn({ store, storage }),
      ...([
        store,
        storage,
        { admit: () => Promise.resolve(freely(engine)) },
        cancellations,
        { finish: ({ bytes }: FinishedPicture) => Promise.resolve(bytes) },
        clock,
        logger,
      ] as const),
    );
    const sender = this.sender(store);
    for (let slot = 0; slot < slots; slot++) {
      this.inBackground(
        this.name,
        installation.deliveryQueue.work(process, (task, claim) => sender.send(task, claim)),
      );
      this.inBackground(
        this.name,
        queue.work(process, (task, claim) => renderer.render(task, claim)),
      );
    }
  }

  private sender(store: EventStore): WebhookSender {
    const { scheduler, logger, clock, invariants, wiring, trace, deliveries: stored } = this.installation;
    const receiver = new SimulatedReceiver(scheduler, this.process, ({ url, headers, body }) => {
      const id = headers['webhook-id'] ?? '';
      trace(`    ${this.name} sends webhook ${id} to ${url}`);
      return invariants.webhooks.called(url, id, body);
    });
    // The sender only finds and records deliveries here.
    const deliveries = new SimulatedDeliveries(stored, scheduler, this.process) as unknown as Deliveries;
    const observer = { attempted: () => undefined, switchedOff: () => undefined };
    return new WebhookSender(
      ...([
        store,
        commandBusOn({ store }),
        wiring.deliveries(deliveries),
        wiring.transport(receiver),
      ] as const),
      ...([simulatedSecrets, observer, clock, logger] as const),
    );
  }
}

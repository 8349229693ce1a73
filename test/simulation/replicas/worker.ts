import { Cancellations } from '#application/render/cancellations.js';
import { freely } from '#application/render/engine-run.js';
import { JobRenderer } from '#application/render/job-renderer.js';
import { newId } from '#platform/ids.js';
import type { Installation } from '../installation.js';
import { SimulatedEngine } from '../services/engine.js';
import { SimulatedStorage } from '../services/storage.js';
import { inBackground, Replica } from './replica.js';
import { commandBusOn } from '../../support/command-bus.js';

const slots = 2;

/** One worker process, put together as `apps/worker` does, on the simulated queue. */
export class WorkerReplica extends Replica {
  constructor(
    name: string,
    private readonly installation: Installation,
  ) {
    super(name);
  }

  protected boot(): void {
    const { installation, process } = this;
    const { scheduler, logger, clock, queue, invariants, wiring, trace } = installation;
    const { store } = installation.storesFor('worker', process, this.network);
    const cancellations = new Cancellations(store, logger);
    cancellations.onApplicationBootstrap();
    const engine = wiring.engine(
      new SimulatedEngine(scheduler, process, (label) => {
        trace(`    ${this.name} calls the engine for ${label}`);
        return invariants.engineCalled(label);
      }),
    );
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
        clock,
        logger,
      ] as const),
    );
    for (let slot = 0; slot < slots; slot++) {
      inBackground(
        queue.work(process, (task, claim) => renderer.render(task, claim)),
        (error) => invariants.violations.push(`${this.name} ended: ${String(error)}`),
      );
    }
  }
}

import type { EventStoreHarness } from '../../event-store/harness.js';
import { Scheduler, startProcess } from '../kernel/scheduler.js';
import { Network } from './network.js';
import { SimulatedEventStore } from './simulated-event-store.js';
import { SimulatedLog } from './simulated-log.js';

/**
 * The simulated store for the conformance suite, which waits in real time. Here simulated time passes at least
 * as fast as real time, and turns are given as soon as they are due.
 */
export function startSimulatedHarness(): EventStoreHarness {
  const scheduler = new Scheduler();
  scheduler.reseed(1);
  const log = new SimulatedLog();
  const disturbed = new Network();
  const common = { log, scheduler, process: startProcess('conformance'), together: true };
  let told = performance.now();
  let running = true;
  const drive = async () => {
    while (running) {
      const elapsedMs = Math.floor(performance.now() - told);
      told += elapsedMs;
      scheduler.advance(elapsedMs);
      if (!(await scheduler.step())) await new Promise((resume) => setTimeout(resume, 1));
    }
  };
  const driving = drive();
  return {
    open: ({ macs } = {}) => new SimulatedEventStore({ ...common, network: new Network(), macs }),
    faults: {
      open: (options = {}) => new SimulatedEventStore({ ...common, network: disturbed, ...options }),
      holdAnswers: () => disturbed.holdAnswers(),
      cut: () => disturbed.cut(),
      refuse: () => disturbed.refuse(),
      restore: () => disturbed.restore(),
    },
    async close() {
      running = false;
      await driving;
    },
  };
}

import { sweepOrphans, type SweepResult } from '#application/process-managers/orphan-sweep.js';
import { systemClock } from '#platform/clock.js';
import { createLogger } from '#platform/logger.js';
import { commandBusOn, type BusPorts } from '../../support/command-bus.js';

interface Charge {
  readonly tenant: string;
  readonly chargeId: string | null;
  readonly jobId: string;
}

/** Treats these charges as orphans past the horizon, as the sweep of one process does. */
export function sweep(ports: BusPorts, ...charges: readonly Charge[]): Promise<SweepResult> {
  const candidates = charges.map(({ tenant, chargeId, jobId }) => {
    return { tenant, chargeId: chargeId!, jobId, createdAt: new Date(0) };
  });
  return sweepOrphans({
    environment: 'test',
    commands: commandBusOn(ports),
    openCharges: { openChargesOlderThan: () => Promise.resolve(candidates) },
    clock: systemClock,
    orphanHorizonMs: 0,
    logger: createLogger('test', 'silent'),
  });
}

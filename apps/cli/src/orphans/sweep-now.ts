import { sweepOrphans } from '#application/process-managers/orphan-sweep.js';
import { environments } from '#domain/streams.js';
import { systemClock } from '#platform/clock.js';
import { createLogger } from '#platform/logger.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printTable } from '../output.js';
import { withLedger } from '../with-ledger.js';
import type { OrphansOptions } from './orphans-options.js';

/** A dispatch that is under way must have the time to queue its job. */
const leastHorizonMs = 1_000;

/** Does what the projector does, beside it: whoever comes second finds the fence and the refund there. */
export async function sweepNow({ env, horizon, json }: OrphansOptions): Promise<void> {
  await using operator = Operator.connect();
  const { connections, store, accounts } = operator;
  const orphanHorizonMs = horizon ?? connections.orphanHorizonMs;
  if (orphanHorizonMs < leastHorizonMs) {
    throw new CliError('a horizon of less than 1s would give up dispatches that are under way');
  }
  // Standard output is the verb's own; what fails is said below, and in full in the projector's log when it fails there.
  const logger = createLogger('cli', 'silent');
  const swept = [];
  for (const environment of env ? [env] : environments) {
    const result = await withLedger(connections, environment, (openCharges) =>
      sweepOrphans({
        ...{ environment, store, accounts, openCharges, orphanHorizonMs, logger },
        clock: systemClock,
      }),
    );
    swept.push({ env: environment, ...result });
  }
  if (json) printJson({ horizon_ms: orphanHorizonMs, swept });
  else {
    printTable(
      ['environment', 'refunded', 'spared', 'failed'],
      swept.map((each) => [each.env, each.refunded, each.spared, each.failed]),
    );
  }
  const failed = swept.reduce((sum, each) => sum + each.failed, 0);
  if (failed > 0) throw new CliError(`${failed} could not be given back: "atelier doctor" says what is away`);
}

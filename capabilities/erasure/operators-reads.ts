import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { ErasableThings } from '#application/erasure/erasable-things.js';
import type { Environment } from '#domain/streams.js';
import type { Operator } from '#operator-calls/operator.js';
import { createLogger } from '#platform/logger.js';
import { Extents } from './extent.js';
import { HoldsInForce } from './keeping/holds-in-force.js';
import { Erasures } from './manage-erasures.handler.js';
import { ErasureOrders } from './order-erasure.js';
import { Persons } from './persons.js';

/** What the operators' calls read. Loaded only on use, as TypeORM is. */
async function readsOf(operator: Operator, environment: Environment) {
  const { readersOf } = await import('#projections/readers-of.js');
  const reads = readersOf(await operator.readModels(environment));
  return { of: () => reads };
}

/** For orders of operators, which take the same way as those of callers. */
export async function ordersOf(operator: Operator, environment: Environment) {
  const { store } = operator;
  const reads = await readsOf(operator, environment);
  const things = new ErasableThings(store);
  const extents = new Extents(things, reads, await operator.database());
  const holds = new HoldsInForce(store, things);
  return { extents, holds, orders: new ErasureOrders(extents, new Erasures(store), holds) };
}

/** @throws what `work` throws */
export async function withPersons<Result>(
  operator: Operator,
  environment: Environment,
  work: (persons: Persons) => Promise<Result>,
): Promise<Result> {
  const { CheckpointWatcher } = await import('#read-store/checkpoint-watcher.js');
  const log = createLogger('cli', 'silent');
  const watcher = new CheckpointWatcher({ url: operator.configuration.databaseUrl, log });
  try {
    await watcher.start();
    const reads = await readsOf(operator, environment);
    const { store } = operator;
    return await work(new Persons(store, reads, await operator.database(), new ReadYourWrites(watcher)));
  } finally {
    await watcher.stop();
  }
}

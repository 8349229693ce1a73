import { ErasableThings } from '#application/erasure/erasable-things.js';
import type { Environment } from '#domain/streams.js';
import type { Operator } from '#operator-calls/operator.js';
import { Extents } from './extent.js';
import { HoldsInForce } from './keeping/holds-in-force.js';
import { Erasures } from './manage-erasures.handler.js';
import { ErasureOrders } from './order-erasure.js';
import { Persons } from './persons.js';
import { ReachedReads } from './reached-reads.js';

/** The read models for operators' calls. TypeORM is loaded only when a call needs them. */
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
  const database = await operator.database();
  const extents = new Extents(things, reads, database);
  const holds = new HoldsInForce(store, things);
  const reached = new ReachedReads(store, database);
  return { extents, holds, orders: new ErasureOrders(extents, new Erasures(store), holds, reached) };
}

export async function personsOf(operator: Operator, environment: Environment): Promise<Persons> {
  const database = await operator.database();
  const reads = await readsOf(operator, environment);
  return new Persons(reads, database, new ReachedReads(operator.store, database));
}

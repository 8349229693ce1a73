import type { Environment } from '#domain/streams.js';
import type { Operator } from './operator.js';
import type { LedgerReader } from '#projections/ledger/ledger.reader.js';

/** Loaded only on use, because its library, TypeORM, takes longer to load than most verbs take to run. */
export async function ledgerOf(operator: Operator, environment: Environment): Promise<LedgerReader> {
  const { LedgerReader } = await import('#projections/ledger/ledger.reader.js');
  return new LedgerReader(await operator.readModels(environment));
}

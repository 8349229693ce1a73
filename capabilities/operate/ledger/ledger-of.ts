import type { Environment } from '#domain/streams.js';
import type { Operator } from '#operator-calls/operator.js';
import type { LedgerReader } from '#projections/ledger/ledger.reader.js';

/** Its library is loaded by those who ask, because TypeORM takes longer than most verbs. */
export async function ledgerOf(operator: Operator, environment: Environment): Promise<LedgerReader> {
  const { LedgerReader } = await import('#projections/ledger/ledger.reader.js');
  return new LedgerReader(await operator.readModels(environment));
}

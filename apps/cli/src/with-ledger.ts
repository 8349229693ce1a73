import type { Environment } from '#domain/streams.js';
import { LedgerReader } from '#projections/ledger/ledger.reader.js';
import { readModelEntities } from '#projections/read-models.js';
import { createDataSource } from '#read-store/data-source.js';
import type { Connections } from './connections.js';

/** Runs `work` with the ledger of one environment, and closes the connection whatever comes of it. */
export async function withLedger<Result>(
  { databaseUrl: url }: Pick<Connections, 'databaseUrl'>,
  environment: Environment,
  work: (ledger: LedgerReader) => Promise<Result>,
): Promise<Result> {
  const settings = { url, schema: environment, entities: readModelEntities, poolSize: 1 };
  const dataSource = await createDataSource(settings).initialize();
  try {
    return await work(new LedgerReader(dataSource));
  } finally {
    await dataSource.destroy();
  }
}

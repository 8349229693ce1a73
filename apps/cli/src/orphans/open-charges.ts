import type { Environment } from '#domain/streams.js';
import { LedgerReader } from '#projections/ledger/ledger.reader.js';
import { readModelEntities } from '#projections/read-models.js';
import { createDataSource } from '#read-store/data-source.js';
import type { Connections } from '../connections.js';
import type { OutputOptions } from '../verb.js';

export interface OrphansOptions extends OutputOptions {
  readonly env?: Environment;
  /** In milliseconds. */
  readonly horizon?: number;
}

/** Runs `work` with the ledger of one environment, and closes the connection whatever comes of it. */
export async function withLedger<Result>(
  { databaseUrl: url }: Connections,
  environment: Environment,
  work: (ledger: LedgerReader) => Promise<Result>,
): Promise<Result> {
  const dataSource = createDataSource({
    ...{ url, schema: environment, entities: readModelEntities },
    poolSize: 1,
  });
  await dataSource.initialize();
  try {
    return await work(new LedgerReader(dataSource));
  } finally {
    await dataSource.destroy();
  }
}

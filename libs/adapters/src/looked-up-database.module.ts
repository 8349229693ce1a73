import { Global, Module } from '@nestjs/common';
import pg from 'pg';
import { Configuration } from '#platform/configuration.js';
import { Database } from '#read-store/database.js';

/** Opens a connection for each statement. A verb of the command runs only a few. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [Configuration],
      useFactory: ({ databaseUrl }: Configuration): Database => ({
        query: (text, values) => queryOnce(databaseUrl, text, values),
      }),
    },
  ],
  exports: [Database],
})
export class LookedUpDatabaseModule {}

async function queryOnce(connectionString: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString, application_name: 'atelier-cli' });
  // A connection that breaks fails the query that waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query(text, values);
  } finally {
    await client.end().catch(() => undefined);
  }
}

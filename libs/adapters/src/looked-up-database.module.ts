import { Global, Module } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { withConnection } from '#platform/postgres.js';
import { Database } from '#read-store/database.js';

/** Opens a connection for each statement. A verb of the command runs only a few. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [Configuration],
      useFactory: ({ databaseUrl }: Configuration): Database => ({
        query: (text, values) =>
          withConnection({ connectionString: databaseUrl, application_name: 'atelier-cli' }, (client) =>
            client.query(text, values),
          ),
      }),
    },
  ],
  exports: [Database],
})
export class LookedUpDatabaseModule {}

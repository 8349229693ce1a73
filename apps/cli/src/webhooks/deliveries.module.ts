import { Global, Module } from '@nestjs/common';
import { Deliveries } from '#application/webhook/deliveries.js';
import { Configuration } from '#platform/configuration.js';
import { PostgresDeliveries } from '#read-store/webhook-deliveries.js';
import { withDatabase } from '../service.js';

/** On a connection for each look, of which a verb has one. */
@Global()
@Module({
  providers: [
    {
      provide: PostgresDeliveries,
      inject: [Configuration],
      useFactory: ({ databaseUrl }: Configuration) =>
        new PostgresDeliveries({
          query: (text, values) =>
            withDatabase(databaseUrl, undefined, (client) => client.query(text, values)),
        }),
    },
    { provide: Deliveries, useExisting: PostgresDeliveries },
  ],
  exports: [Deliveries, PostgresDeliveries],
})
export class DeliveriesModule {}

import { Module } from '@nestjs/common';
import { EventStore } from '#event-store/event-store.js';
import { SnapshotStore } from '#event-store/snapshots.js';
import { Logger } from '#platform/logger.js';
import { AccountWriter } from './account-writer.js';
import { CloseChargeHandler, MakeChargesHandler } from './charges.handler.js';
import { accountHandlers } from './manage-accounts.handler.js';

/** Everything that writes accounts, through the one writer of this process. */
@Module({
  providers: [
    {
      provide: AccountWriter,
      inject: [EventStore, SnapshotStore, Logger],
      useFactory: (store: EventStore, snapshots: SnapshotStore, logger: Logger) =>
        new AccountWriter(store, snapshots, {
          onSnapshotError: (err) => logger.warn({ err }, 'a snapshot was not saved'),
        }),
    },
    ...accountHandlers,
    MakeChargesHandler,
    CloseChargeHandler,
  ],
  exports: [AccountWriter],
})
export class AccountModule {}

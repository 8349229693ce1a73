import type { Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import { batchParents, batchParentsFilter, BatchParents } from './batch-parents.js';
import { chargeCloser, chargeCloserFilter, ChargeCloser } from './charge-closer.js';
import { renderDispatcher, renderDispatcherFilter, RenderDispatcher } from './render-dispatcher.js';
import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { JobWritesModule } from '../job/job-writes.handler.js';

/** All process managers that follow the log, by the name of their checkpoint, with the events that they want. */
export const processManagers: readonly {
  readonly name: string;
  filter(environment: Environment): EventFilter;
}[] = [
  { name: renderDispatcher, filter: renderDispatcherFilter },
  { name: chargeCloser, filter: chargeCloserFilter },
  { name: batchParents, filter: batchParentsFilter },
];

const managers = [RenderDispatcher, ChargeCloser, BatchParents];

/** What follows on events: each of these is told them in the order of the log, behind a checkpoint. */
@Module({ imports: [AccountModule, JobWritesModule], providers: managers, exports: managers })
export class ProcessManagersModule {}

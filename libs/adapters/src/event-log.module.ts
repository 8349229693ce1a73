import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { tellingOutcomes } from '#application/observed-outcomes.js';
import { EventStore } from '#event-store/event-store.js';
import { openEventStore, type OpenedEventStore, type OpenOptions } from '#event-store/open-event-store.js';
import { authenticSnapshots, SnapshotStore } from '#event-store/snapshots.js';
import { Configuration } from '#platform/configuration.js';
import type { Metrics } from '#platform/metrics.js';
import { traceAppends } from '#platform/tracing.js';
import { OwnMetrics } from './platform.module.js';

const openedLog = Symbol('the opened event log');

/** The event log and its snapshots. Nothing connects before the first call; the connections close with the app. */
@Global()
@Module({})
export class EventLogModule implements OnApplicationShutdown {
  constructor(@Inject(openedLog) private readonly log: OpenedEventStore) {}

  static with(options: Omit<OpenOptions, 'observer'> = {}): DynamicModule {
    return {
      module: EventLogModule,
      providers: [
        {
          provide: openedLog,
          inject: [Configuration, OwnMetrics],
          useFactory: (configuration: Configuration, metrics: Metrics | undefined) =>
            openEventStore(configuration, { ...options, ...(metrics && { observer: metrics.eventStore }) }),
        },
        {
          provide: EventStore,
          inject: [openedLog, OwnMetrics],
          useFactory: ({ store }: OpenedEventStore, metrics: Metrics | undefined) =>
            traceAppends(metrics ? tellingOutcomes(store, metrics.outcomes) : store),
        },
        {
          provide: SnapshotStore,
          inject: [openedLog, Configuration, OwnMetrics],
          useFactory: (
            { snapshots }: OpenedEventStore,
            { signingKey }: Configuration,
            metrics: Metrics | undefined,
          ) => authenticSnapshots(snapshots, signingKey, () => metrics?.eventStore.snapshotDropped?.()),
        },
      ],
      exports: [EventStore, SnapshotStore],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.log.close();
  }
}

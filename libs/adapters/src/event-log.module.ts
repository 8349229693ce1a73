import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { tellingOutcomes } from '#application/observed-outcomes.js';
import { EventStore, storeWith, type RecordedEvent } from '#event-store/event-store.js';
import {
  openEventStore,
  type OpenedEventStore,
  type OpenOptions,
  type ProofOptions,
  type WordsOptions,
} from '#event-store/open-event-store.js';
import { StorePresence, withPresence } from '#event-store/store-presence.js';
import { authenticSnapshots, SnapshotStore } from '#event-store/snapshots.js';
import { WordErasure } from '#event-store/word-erasure.js';
import { Configuration, ConfigurationError } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { traceAppends } from '#platform/tracing.js';
import { OwnMetrics } from './platform.module.js';

const openedLog = Symbol('the opened event log');

export interface EventLogOptions extends Omit<OpenOptions, 'observer' | 'proof' | 'words'> {
  /**
   * Calls fail at once while the store is away. Meant for requests; other work should rather wait. Default
   * false.
   */
  readonly failAtOnce?: boolean;
}

/**
 * The event log and its snapshots. No connection opens before the first call. The connections close with the
 * app.
 */
@Global()
@Module({})
export class EventLogModule implements OnApplicationShutdown {
  constructor(
    @Inject(openedLog) private readonly log: OpenedEventStore,
    private readonly presence: StorePresence,
  ) {}

  static with({ failAtOnce = false, ...options }: EventLogOptions = {}): DynamicModule {
    return {
      module: EventLogModule,
      providers: [
        {
          provide: openedLog,
          inject: [Configuration, OwnMetrics, Logger],
          useFactory: (configuration: Configuration, metrics: Metrics | undefined, logger: Logger) =>
            openEventStore(configuration, {
              ...options,
              proof: proofOptions(configuration),
              words: wordsOptions(configuration),
              observer: { ...metrics?.eventStore, unprovenEvent: alarm(logger, metrics) },
            }),
        },
        {
          provide: StorePresence,
          inject: [openedLog, Logger],
          useFactory: ({ store }: OpenedEventStore, logger: Logger) =>
            new StorePresence(() => store.head(), { onChange: (isAway) => tellPresence(logger, isAway) }),
        },
        {
          provide: EventStore,
          inject: [openedLog, OwnMetrics, StorePresence, Configuration],
          useFactory: (
            opened: OpenedEventStore,
            metrics: Metrics | undefined,
            presence: StorePresence,
            { signingKey }: Configuration,
          ) => {
            const own = signingKey === undefined ? onlyForReading(opened.store) : opened.store;
            const store = failAtOnce ? withPresence(own, presence) : own;
            return traceAppends(metrics ? tellingOutcomes(store, metrics.outcomes) : store);
          },
        },
        {
          provide: SnapshotStore,
          inject: [openedLog, Configuration, OwnMetrics, StorePresence],
          useFactory: (
            { snapshots }: OpenedEventStore,
            { signingKey }: Configuration,
            metrics: Metrics | undefined,
            presence: StorePresence,
          ) =>
            authenticSnapshots(
              failAtOnce ? snapshotsOfPresent(snapshots, presence) : snapshots,
              signingKey,
              () => metrics?.eventStore.snapshotDropped?.(),
            ),
        },
        {
          provide: WordErasure,
          inject: [openedLog],
          useFactory: ({ erasure }: OpenedEventStore) => erasure,
        },
      ],
      exports: [EventStore, SnapshotStore, StorePresence, WordErasure],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.presence.close();
    await this.log.close();
  }
}

function tellPresence(logger: Logger, isAway: boolean): void {
  if (isAway)
    logger.error({}, 'the event store does not answer: requests that need it fail at once until it is back');
  else logger.info({}, 'the event store answers again');
}

/** A snapshot is useless without its stream, and may lie in the database that is away. */
function snapshotsOfPresent(snapshots: SnapshotStore, presence: StorePresence): SnapshotStore {
  return {
    load: async (...given) => {
      presence.require();
      return snapshots.load(...given);
    },
    save: (...given) => snapshots.save(...given),
    drop: (...given) => snapshots.drop(...given),
  };
}

/** How a process with this configuration proves and checks who wrote events. */
export function proofOptions({
  signingKey,
  acceptedSigningKeys: accepted,
  unprovenEvents,
}: Pick<Configuration, 'signingKey' | 'acceptedSigningKeys' | 'unprovenEvents'>): ProofOptions | undefined {
  return signingKey === undefined
    ? undefined
    : { signingKey, accepted, acceptUnproven: unprovenEvents === 'accept' };
}

/** How a process with this configuration encrypts personal words in events. */
export function wordsOptions({
  masterKey,
  acceptedMasterKeys: accepted,
}: Pick<Configuration, 'masterKey' | 'acceptedMasterKeys'>): WordsOptions {
  return { ...(masterKey !== undefined && { masterKey }), accepted };
}

/** Without the key, this process must not write: no other process would accept its events. */
function onlyForReading(store: EventStore): EventStore {
  const refuse = () =>
    Promise.reject(
      new ConfigurationError(
        'nothing can be written without ATELIER_SIGNING_KEY: set it to the key of the service',
      ),
    );
  return storeWith(store, { append: refuse, ...(store.appendTogether && { appendTogether: refuse }) });
}

/** The process logs an event once. The metric counts every read of it. */
const reportedEvents = 1_000;

function alarm(logger: Logger, metrics: Metrics | undefined): (event: RecordedEvent) => void {
  const reported = new Set<string>();
  return (event) => {
    metrics?.eventStore.unprovenEvent?.(event);
    const { stream, revision, id, type, position, unproven } = event;
    if (reported.has(id) || reported.size >= reportedEvents) return;
    reported.add(id);
    logger.error(
      { stream, revision: String(revision), position: String(position), eventId: id, type },
      `this service did not write ${type} at revision ${revision} of ${stream}: it ${unproven}, and the service does not act on it (docs/seals.md)`,
    );
  };
}

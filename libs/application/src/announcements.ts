import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { decode } from '#domain/stored-events.js';
import type { DomainEvent, DomainEventType, EventOfType } from '#domain/events.js';
import {
  categoryPrefix,
  environments,
  parseStreamName,
  type Environment,
  type StreamCategory,
} from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { followFromNow, type FollowOptions } from './follow-log.js';

/** An event of the log, with its environment and stream id. */
export interface Announcement<Type extends DomainEventType = DomainEventType> {
  readonly environment: Environment;
  /** The second part of the stream's name, after the category: a key, a tenant, a workflow. */
  readonly id: string;
  readonly event: EventOfType<Type>;
}

/** A cache of streams' contents that must hear of each new event in them. */
export interface Listener {
  readonly category: StreamCategory;
  readonly types: readonly DomainEventType[];
  hear(announcement: Announcement): void;
}

/** The listeners of this process. A module that has listeners provides them under this token. */
export const Listeners = Symbol('Listeners');

/** Listens for as long as the app runs. A subscription that ends with an error starts again. */
@Injectable()
export class Announcements implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private watching: Promise<unknown> | undefined;

  constructor(
    private readonly store: EventStore,
    @Inject(Listeners) private readonly listeners: readonly Listener[],
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** Resolves once the watch has begun, or has failed to begin: earlier changes would not be heard. */
  async onApplicationBootstrap(): Promise<void> {
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
    this.watching = watchAnnouncements(this.store, this.listeners, {
      signal: this.stopping.signal,
      onBegun: hasBegun,
      onFailure: (err) => {
        hasBegun();
        this.logger.warn(
          { err },
          'announcements of changed keys, plans and pictures do not arrive: a change may now take a minute to show',
        );
      },
    });
    await begun;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }
}

/**
 * Passes new events from any process to the listeners, within a tenth of a second. All listeners share one
 * subscription. Runs until the signal aborts.
 */
export function watchAnnouncements(
  store: EventStore,
  listeners: readonly Listener[],
  options: Omit<FollowOptions, 'filter' | 'patienceMs'>,
): Promise<void> {
  const filter = {
    types: [...new Set(listeners.flatMap(({ types }) => types))],
    streamPrefixes: environments.flatMap((environment) =>
      listeners.map(({ category }) => categoryPrefix(environment, category)),
    ),
  };
  return followFromNow(store, { ...options, filter, patienceMs: () => 100 }, (events) => {
    for (const recorded of events) {
      const name = parseStreamName(recorded.stream);
      if (!name) continue;
      const { environment, category, id } = name;
      const event: DomainEvent = decode(recorded);
      for (const listener of listeners) {
        if (listener.category !== category || !listener.types.includes(event.type)) continue;
        listener.hear({ environment, id, event });
      }
    }
  });
}

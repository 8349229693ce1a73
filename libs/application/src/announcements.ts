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
import { EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { Logger } from '#platform/logger.js';
import { followFromNow } from './follow-log.js';

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

/**
 * Passes new events from any process to the listeners, within a tenth of a second. All listeners share one
 * subscription, which runs as long as the app and starts again after an error.
 */
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
    const filter = {
      types: [...new Set(this.listeners.flatMap(({ types }) => types))],
      streamPrefixes: environments.flatMap((environment) =>
        this.listeners.map(({ category }) => categoryPrefix(environment, category)),
      ),
    };
    const options = {
      filter,
      signal: this.stopping.signal,
      patienceMs: () => 100,
      onBegun: hasBegun,
      onFailure: (err: unknown) => {
        hasBegun();
        this.logger.warn(
          { err },
          'announcements of changed keys, plans and pictures do not arrive: a change may now take a minute to show',
        );
      },
    };
    this.watching = followFromNow(this.store, options, (events) => {
      for (const recorded of events) this.pass(recorded);
    });
    await begun;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private pass(recorded: RecordedEvent): void {
    const name = parseStreamName(recorded.stream);
    if (!name) return;
    const { environment, category, id } = name;
    const event: DomainEvent = decode(recorded);
    for (const listener of this.listeners) {
      if (listener.category !== category || !listener.types.includes(event.type)) continue;
      listener.hear({ environment, id, event });
    }
  }
}

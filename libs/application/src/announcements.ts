import { Inject, Injectable } from '@nestjs/common';
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
import { LogFollower } from './follow-log.js';

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
export class Announcements extends LogFollower {
  protected readonly filter: LogFollower['filter'];
  protected readonly complaint =
    'announcements of changed keys, plans and pictures do not arrive: a change may now take a minute to show';
  private readonly begun = Promise.withResolvers<void>();

  constructor(
    store: EventStore,
    @Inject(Listeners) private readonly listeners: readonly Listener[],
    @Inject(Logger) logger: Logger,
  ) {
    super(store, logger);
    this.filter = {
      types: [...new Set(listeners.flatMap(({ types }) => types))],
      streamPrefixes: environments.flatMap((environment) =>
        listeners.map(({ category }) => categoryPrefix(environment, category)),
      ),
    };
  }

  /** Resolves once the watch has begun, or has failed to begin: earlier changes would not be heard. */
  override async onApplicationBootstrap(): Promise<void> {
    await super.onApplicationBootstrap();
    await this.begun.promise;
  }

  protected override onBegun(): void {
    this.begun.resolve();
  }

  protected override onFailure(err: unknown): void {
    this.begun.resolve();
    super.onFailure(err);
  }

  protected hear(events: readonly RecordedEvent[]): void {
    for (const recorded of events) {
      const name = parseStreamName(recorded.stream);
      if (!name) continue;
      const { environment, category, id } = name;
      const event: DomainEvent = decode(recorded);
      for (const listener of this.listeners) {
        if (listener.category !== category || !listener.types.includes(event.type)) continue;
        listener.hear({ environment, id, event });
      }
    }
  }
}

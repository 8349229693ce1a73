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
import { retryUntilAborted } from '#platform/retry.js';

/** An event of the log, and what it is about. */
export interface Announcement<Type extends DomainEventType = DomainEventType> {
  readonly environment: Environment;
  /** The part of the stream's name behind the category: a key, a tenant, a workflow. */
  readonly id: string;
  readonly event: EventOfType<Type>;
}

/** A cache of what streams say, which must hear when they say something new. */
export interface Listener {
  readonly category: StreamCategory;
  readonly types: readonly DomainEventType[];
  hear(announcement: Announcement): void;
}

/** What listens in this process. A module that has listeners provides them under this token. */
export const Listeners = Symbol('Listeners');

/** Listens for as long as the app runs: a subscription that ends by an error begins anew. */
@Injectable()
export class Announcements implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private watching: Promise<unknown> | undefined;

  constructor(
    private readonly store: EventStore,
    @Inject(Listeners) private readonly listeners: readonly Listener[],
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** Resolves when the watch has begun, or cannot begin yet: a change before that would not be heard. */
  async onApplicationBootstrap(): Promise<void> {
    const { signal } = this.stopping;
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
    const watch = () => watchAnnouncements(this.store, this.listeners, signal, hasBegun);
    this.watching = retryUntilAborted(watch, {
      ...{ signal, firstPauseMs: 1_000, longestPauseMs: 1_000 },
      onFailure: (err) => {
        hasBegun();
        this.logger.warn(
          { err },
          'changes of keys, plans and prices are not heard of: they may take a minute now',
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
 * Tells the listeners what happens from now on, in whichever process: within a tenth of a second. One subscription
 * serves all of them, because each costs a read of the log for every commit. Runs until `signal` aborts.
 * @param begun called when each later event will be told
 * @throws as the event store's subscriptions do
 */
export async function watchAnnouncements(
  store: EventStore,
  listeners: readonly Listener[],
  signal: AbortSignal,
  begun: () => void,
): Promise<void> {
  const after = await store.head();
  begun();
  const filter = {
    types: [...new Set(listeners.flatMap(({ types }) => types))],
    streamPrefixes: environments.flatMap((environment) =>
      listeners.map(({ category }) => categoryPrefix(environment, category)),
    ),
  };
  const from = after === undefined ? {} : { after };
  for await (const { events } of store.subscribe({ ...from, filter, signal, patienceMs: () => 100 })) {
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
  }
}

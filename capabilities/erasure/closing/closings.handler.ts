import { Injectable } from '@nestjs/common';
import type { Decision } from '#domain/decision.js';
import { streamName, type Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { handle, load } from '#application/aggregate.js';
import type { CommandContext } from '#application/command-context.js';
import type { ClosingEvent } from '../closing.events.js';
import { evolveClosing, initialClosing, type Closing, type ClosingRejection } from './closing.js';

const closingAggregate = { initial: initialClosing, evolve: evolveClosing };

/** The streams of closings. */
@Injectable()
export class Closings {
  constructor(private readonly store: EventStore) {}

  async find(environment: Environment, tenant: string): Promise<Closing> {
    return (await load(this.store, streamName(environment, 'closing', tenant), closingAggregate)).state;
  }

  /** @throws what the store throws */
  write<Rejection extends ClosingRejection>(
    context: CommandContext,
    decide: (state: Closing) => Decision<ClosingEvent, Rejection>,
  ) {
    const stream = streamName(context.environment, 'closing', context.tenant);
    return handle(this.store, stream, closingAggregate, decide, context);
  }
}

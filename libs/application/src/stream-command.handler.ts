import { Command, CommandHandler } from '@nestjs/cqrs';
import type { Decision } from '#domain/decision.js';
import type { DomainEvent } from '#domain/events.js';
import { EventStore } from '#event-store/event-store.js';
import { handle, type Aggregate, type Handled, type Loaded } from './aggregate.js';
import type { CommandContext } from './command-context.js';

/**
 * A write on one stream. `known` is the state that the sender has read or expects, and spares the read. If it is
 * wrong, the store refuses the append and the stream is read after all.
 */
export abstract class StreamCommand<Data, State, Event extends DomainEvent, Rejection> extends Command<
  Handled<State, Rejection>
> {
  abstract readonly aggregate: Aggregate<State, Event>;

  constructor(
    readonly context: CommandContext,
    /** The last part of the stream's name. */
    readonly id: string,
    readonly data: Data,
    readonly known?: Loaded<State>,
  ) {
    super();
  }

  abstract get stream(): string;
  abstract decide(state: State, at: string): Decision<Event, Rejection>;
}

/** Handles every {@link StreamCommand}: the bus looks a command's handler up by its class and those it extends. */
@CommandHandler(StreamCommand)
export class StreamCommandHandler {
  constructor(private readonly store: EventStore) {}

  async execute<State, Event extends DomainEvent, Rejection>(
    command: StreamCommand<unknown, State, Event, Rejection>,
  ): Promise<Handled<State, Rejection>> {
    const { context, stream, aggregate, known } = command;
    const at = context.at.toISOString();
    return handle(this.store, stream, aggregate, (state) => command.decide(state, at), context, known);
  }
}

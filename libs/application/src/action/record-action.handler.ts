import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ActionEvent } from '#domain/action/action.events.js';
import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix, streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { toNewEvent, type CommandContext } from '../command-context.js';

/**
 * Writes down what an operator asks for, before it is done; or how it ended. Answers with the event that stands there
 * already where another request with the same id came first.
 */
export class RecordAction extends Command<DomainEvent | undefined> {
  constructor(
    readonly context: CommandContext,
    readonly actionId: string,
    readonly event: ActionEvent,
  ) {
    super();
  }
}

@CommandHandler(RecordAction)
export class RecordActionHandler implements ICommandHandler<RecordAction> {
  constructor(private readonly store: EventStore) {}

  async execute({ context, actionId, event }: RecordAction): Promise<DomainEvent | undefined> {
    const [expected, from] = event.type === 'ActionRequested' ? (['no-stream', 0n] as const) : [0n, 1n];
    const stream = actionStream(actionId);
    // Each request has an id of its own, so that of two with the same key the second does not pass for the first sent again.
    const commandId = `${event.type}:${context.requestId}`;
    const stored = toNewEvent(event, 0, { ...context, commandId });
    const appended = await this.store.append(stream, expected, [stored]);
    if (appended.outcome === 'appended') return undefined;
    const slice = await this.store.readStream(stream, { from, limit: 1 });
    const [earlier] = slice.kind === 'found' ? slice.events : [];
    return earlier && decode(earlier);
  }
}

const actionStream = (id: string) => streamName('live', 'action', id);

/** All that operators asked for, as a prefix for reads. */
export const actionsPrefix = categoryPrefix('live', 'action');

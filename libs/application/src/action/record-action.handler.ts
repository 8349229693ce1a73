import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ActionEvent } from '#domain/action/action.events.js';
import type { DomainEvent } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import { categoryPrefix, streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { toNewEvent, type CommandContext } from '../command-context.js';

/**
 * Records an operator's request before it is carried out, or its outcome afterwards. If another request with
 * the same id came first, returns the event of that one.
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
    // The command id uses the request's id, because the key may repeat: a second request must not pass for a
    // resend.
    const commandId = `${event.type}:${context.requestId}`;
    const stored = toNewEvent(event, 0, { ...context, commandId });
    const appended = await this.store.append(stream, expected, [stored]);
    if (appended.outcome === 'appended') return undefined;
    const slice = await this.store.readStream(stream, { from, limit: 1 });
    const [earlier] = slice.kind === 'found' ? slice.events : [];
    return earlier && decode(earlier);
  }
}

export const actionStream = (id: string) => streamName('live', 'action', id);

export const actionsPrefix = categoryPrefix('live', 'action');

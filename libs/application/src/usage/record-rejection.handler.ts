import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { UsageEvent } from '#domain/usage/usage.events.js';
import { streamName } from '#domain/streams.js';
import { DuplicateEventId, EventStore, type NewEvent } from '#event-store/event-store.js';
import { retry } from '#platform/retry.js';
import { callerContext, type Caller, toNewEvent } from '../command-context.js';

/** How long a refusal is tried to be recorded while the store is busy or away. */
const patienceMs = 30_000;

/**
 * Puts a dispatch that was refused into the usage log. Answers with where in the log it stands; undefined when that is
 * not known. Fails with a TimeoutError when the store did not answer for half a minute.
 */
export class RecordRejection extends Command<bigint | undefined> {
  constructor(
    readonly caller: Caller,
    readonly rejection: UsageEvent['data'],
  ) {
    super();
  }
}

/** No decision depends on what was refused, so any revision will do. Tried again with the same event id. */
@CommandHandler(RecordRejection)
export class RecordRejectionHandler implements ICommandHandler<RecordRejection> {
  constructor(private readonly store: EventStore) {}

  execute({ caller, rejection }: RecordRejection): Promise<bigint | undefined> {
    const { requestId, at } = rejection;
    const context = callerContext(caller, `reject:${requestId}`, requestId, new Date(at));
    const event = toNewEvent({ type: 'RequestRejected', data: rejection }, 0, context);
    const stream = streamName(caller.environment, 'usage', caller.tenant);
    return retry(() => this.append(stream, event), { signal: AbortSignal.timeout(patienceMs) });
  }

  private async append(stream: string, event: NewEvent): Promise<bigint | undefined> {
    try {
      const appended = await this.store.append(stream, 'any', [event]);
      return appended.outcome === 'appended' ? appended.position : undefined;
    } catch (error) {
      // It was written by an earlier try whose answer was lost.
      if (error instanceof DuplicateEventId) return undefined;
      throw error;
    }
  }
}

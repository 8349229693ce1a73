import type { UsageEvent } from '#domain/usage/usage.events.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Caller } from '../caller.js';
import { toNewEvent } from '../command-context.js';

/** Records dispatches that were refused, for the usage log. No decision depends on them, so any revision will do. */
export class RejectionLog {
  constructor(private readonly store: EventStore) {}

  /** @returns where in the log it stands. @throws as the event store does */
  async record(caller: Caller, rejection: UsageEvent['data']): Promise<bigint | undefined> {
    const { environment, tenant, keyId } = caller;
    const event = toNewEvent({ type: 'RequestRejected', data: rejection }, 0, {
      environment,
      tenant,
      commandId: `reject:${rejection.requestId}`,
      requestId: rejection.requestId,
      actor: `key:${keyId}`,
      at: new Date(rejection.at),
    });
    const appended = await this.store.append(streamName(environment, 'usage', tenant), 'any', [event]);
    return appended.outcome === 'appended' ? appended.position : undefined;
  }
}

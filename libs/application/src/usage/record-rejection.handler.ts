import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { UsageEvent } from '#domain/usage/usage.events.js';
import { streamName } from '#domain/streams.js';
import { DuplicateEventId, EventStore, type NewEvent } from '#event-store/event-store.js';
import { correlated, outsideRequests } from '#platform/correlation.js';
import { retry } from '#platform/retry.js';
import { callerContext, type Caller, toNewEvent } from '../command-context.js';

/** How long the recording of a refusal is retried while the store is busy or away. */
const patienceMs = 30_000;

/** Refusals that are appended together, at most. */
const mostTogether = 128;

/**
 * Records a refused dispatch in the usage log. Returns the event's position; undefined if it is not known.
 * Fails with a TimeoutError if the store does not answer for half a minute.
 */
export class RecordRejection extends Command<bigint | undefined> {
  constructor(
    readonly caller: Caller,
    readonly rejection: UsageEvent['data'],
  ) {
    super();
  }
}

interface Refusal {
  readonly event: NewEvent;
  readonly until: number;
  readonly resolve: (position: bigint | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * No decision depends on refusals, so any revision will do. Retries use the same event ids.
 *
 * Refusals of one tenant that arrive during an append wait, and go together into the next one. The store takes
 * one append of a stream at a time: a thousand single ones would wait for each other until the store seemed to
 * be away.
 */
@CommandHandler(RecordRejection)
export class RecordRejectionHandler implements ICommandHandler<RecordRejection> {
  private readonly waiting = new Map<string, Refusal[]>();

  constructor(private readonly store: EventStore) {}

  execute({ caller, rejection }: RecordRejection): Promise<bigint | undefined> {
    const { requestId, at } = rejection;
    const context = callerContext(caller, `reject:${requestId}`, requestId, new Date(at));
    const event = toNewEvent({ type: 'RequestRejected', data: rejection }, 0, context);
    const stream = streamName(caller.environment, 'usage', caller.tenant);
    return new Promise((resolve, reject) => {
      const refusal = { event, until: Date.now() + patienceMs, resolve, reject };
      const waiting = this.waiting.get(stream);
      if (waiting) waiting.push(refusal);
      else {
        this.waiting.set(stream, [refusal]);
        void correlated(outsideRequests, () => this.drain(stream));
      }
    });
  }

  private async drain(stream: string): Promise<void> {
    for (let waiting; (waiting = this.waiting.get(stream)?.splice(0, mostTogether))?.length;) {
      await this.record(stream, waiting);
    }
    // Runs in the same tick as the last check, so a later refusal starts a new drain.
    this.waiting.delete(stream);
  }

  private async record(stream: string, refusals: readonly Refusal[]): Promise<void> {
    // The oldest one comes first.
    const patience = Math.max(1, refusals[0]!.until - Date.now());
    const events = refusals.map(({ event }) => event);
    try {
      const position = await retry(() => this.append(stream, events), {
        signal: AbortSignal.timeout(patience),
      });
      for (const { resolve } of refusals) resolve(position);
    } catch (error) {
      for (const { reject } of refusals) reject(error);
    }
  }

  private async append(stream: string, events: readonly NewEvent[]): Promise<bigint | undefined> {
    try {
      const appended = await this.store.append(stream, 'any', events);
      return appended.outcome === 'appended' ? appended.position : undefined;
    } catch (error) {
      // It was written by an earlier try whose answer was lost.
      if (error instanceof DuplicateEventId) return undefined;
      throw error;
    }
  }
}

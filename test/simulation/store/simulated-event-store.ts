import {
  AppendOutcomeUnknown,
  NotThisLog,
  EventStoreUnavailable,
  type AppendOutcome,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamSlice,
  type SubscribeOptions,
} from '#event-store/event-store.js';
import type { EventMacs } from '#event-store/authentic/event-macs.js';
import { serialiseAppend, serialiseTogether } from '#event-store/serialised-event.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';
import type { Network } from './network.js';
import type { SimulatedLog } from './simulated-log.js';

interface SimulatedClientOptions {
  readonly log: SimulatedLog;
  readonly scheduler: Scheduler;
  /** The process of the client; its death ends all calls, answered or not. */
  readonly process: Process;
  readonly network: Network;
  /** Whether it can append to several streams at once. Default: no. */
  readonly together?: boolean;
  /** Makes the MACs of the events, as the service's own clients do. Default: no MACs. */
  readonly macs?: EventMacs | undefined;
  readonly deadlineMs?: number;
  readonly answerTimeoutMs?: number;
  /**
   * Draws the size of each batch of a subscription, up to this limit, and wakes it only for events that pass
   * its filter. Default: batches have the requested size, and every commit wakes every subscription.
   */
  readonly largestBatch?: number;
}

const maxPage = 4096;
const retryMs = 20;
const slowMs = 4_000;

/** The answer of a call may be lost; the call was carried out or was not. */
class AnswerLost extends Error {}
/** The call has not reached the store. */
class NotSent extends Error {}

/**
 * A client of the simulated store. Each call takes two turns, one to the store and one back. So the client's
 * process can be killed before the call is carried out, and between that and the answer.
 */
export class SimulatedEventStore implements EventStore {
  private readonly closing = new AbortController();

  readonly appendTogether?: NonNullable<EventStore['appendTogether']>;

  constructor(private readonly options: SimulatedClientOptions) {
    if (!options.together) return;
    this.appendTogether = async (writes) => {
      this.refuseWhenClosed();
      const appends = serialiseTogether(writes, this.options.macs);
      const streams = writes.map(({ stream }) => stream).join(', ');
      return this.send(streams, () => this.options.log.appendTogether(appends));
    };
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendOutcome> {
    this.refuseWhenClosed();
    const serialised = serialiseAppend(stream, expected, events, this.options.macs);
    return this.send(stream, () => this.options.log.append(stream, expected, serialised));
  }

  private async send<Outcome>(stream: string, carryOut: () => Outcome): Promise<Outcome> {
    const fault = this.options.network.take('append');
    const { scheduler, process } = this.options;
    switch (fault) {
      case 'unavailable':
        await scheduler.turn(process);
        throw new EventStoreUnavailable('The store cannot be reached');
      case 'unknown-committed':
        await scheduler.turn(process);
        attempt(carryOut);
        return this.giveUp(stream);
      case 'unknown-uncommitted':
        return this.giveUp(stream);
      case 'unknown-late':
        scheduler.later(this.options.log.server, slowMs, () => attempt(carryOut));
        return this.giveUp(stream);
      case 'answer-lost':
        await scheduler.turn(process);
        attempt(carryOut);
        return this.resend(stream, carryOut, true);
      case 'slow':
        await scheduler.after(process, slowMs);
        return this.resend(stream, carryOut, false);
      case 'slow-answer': {
        await scheduler.turn(process);
        const settled = attempt(carryOut);
        await scheduler.after(process, slowMs);
        return settled();
      }
      case 'read-unavailable':
      case undefined:
        return this.resend(stream, carryOut, false);
      default:
        return fault satisfies never;
    }
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    const limit = pageSize(options.limit);
    return this.read(() => {
      const all = this.options.log.streamOf(stream);
      if (!all) return { kind: 'stream-not-found' };
      const last = BigInt(all.length - 1);
      if (options.direction === 'backwards') {
        const from = options.from === undefined || options.from > last ? last : options.from;
        const events = all.slice(Math.max(0, Number(from) - limit + 1), Number(from) + 1).toReversed();
        return { kind: 'found', events };
      }
      const from = Number(options.from ?? 0n);
      return { kind: 'found', events: all.slice(from, from + limit) };
    });
  }

  async readAll({ after = 0n, limit, filter }: ReadAllOptions = {}): Promise<readonly RecordedEvent[]> {
    const size = pageSize(limit);
    return this.read(() => this.options.log.pageAfter(after, size, filter).events);
  }

  async head(): Promise<bigint | undefined> {
    const head = await this.read(() => this.options.log.head, 'head');
    return head === 0n ? undefined : head;
  }

  lastEvent(through?: bigint): Promise<RecordedEvent | undefined> {
    const { log } = this.options;
    return this.read(() =>
      log.events.findLast(({ position }) => through === undefined || position <= through),
    );
  }

  identity(): Promise<string> {
    return this.read(() => this.options.log.identity, 'head');
  }

  async *subscribe({ after = 0n, filter, batchSize = 1000, signal }: SubscribeOptions) {
    const { log, scheduler, process, network, largestBatch } = this.options;
    const over = AbortSignal.any([signal, this.closing.signal]);
    let position = after;
    let toldCaughtUp = false;
    while (!over.aborted) {
      await scheduler.after(process, network.refusing ? retryMs : 0, over);
      if (over.aborted) return;
      if (network.refusing) continue;
      if (log.head < position) throw new NotThisLog(`The checkpoint ${position} lies beyond the log`);
      const size = largestBatch === undefined ? batchSize : 1 + scheduler.choose(largestBatch);
      const page = log.pageAfter(position, Math.min(batchSize, size), filter);
      if (page.position > position || (page.caughtUp && !toldCaughtUp)) {
        position = page.position;
        toldCaughtUp = page.caughtUp;
        yield page;
      }
      if (page.caughtUp) await log.beyond(position, over, largestBatch === undefined ? undefined : filter);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  private async read<T>(carryOut: () => T, call: 'read' | 'head' = 'read'): Promise<T> {
    this.refuseWhenClosed();
    const { network, scheduler, process } = this.options;
    if (call === 'read' && network.take('read')) {
      await scheduler.turn(process);
      throw new EventStoreUnavailable('The store cannot be reached');
    }
    return this.untilAnswered(carryOut, (error) => {
      throw new EventStoreUnavailable(`The store cannot be reached: ${error.message}`);
    });
  }

  /** Repeats a call with the same ids until the store answers or the time is up. */
  private resend<Outcome>(stream: string, carryOut: () => Outcome, sentBefore: boolean): Promise<Outcome> {
    let sent = sentBefore;
    return this.untilAnswered(carryOut, (error) => {
      sent ||= error instanceof AnswerLost;
      throw sent
        ? new AppendOutcomeUnknown(`Nobody knows whether the append to ${stream} happened`)
        : new EventStoreUnavailable('The store cannot be reached');
    });
  }

  private async untilAnswered<T>(carryOut: () => T, onGivenUp: (error: Error) => never): Promise<T> {
    const { scheduler, process, deadlineMs = 10_000 } = this.options;
    const deadline = scheduler.now + deadlineMs;
    let worst: Error | undefined;
    for (;;) {
      try {
        return await this.once(carryOut);
      } catch (error) {
        if (!(error instanceof AnswerLost || error instanceof NotSent)) throw error;
        if (!(worst instanceof AnswerLost)) worst = error;
        if (scheduler.now >= deadline || this.closing.signal.aborted) return onGivenUp(worst);
        await scheduler.after(process, Math.min(retryMs, deadline - scheduler.now));
      }
    }
  }

  private async once<T>(carryOut: () => T): Promise<T> {
    const { network, scheduler, process, answerTimeoutMs = 5_000 } = this.options;
    if (network.refusing) throw new NotSent('connection refused');
    const { broken } = network;
    await scheduler.turn(process);
    if (broken.aborted) throw new NotSent('the connection broke');
    const settled = attempt(carryOut);
    await scheduler.turn(process);
    if (network.held && !broken.aborted) {
      await scheduler.after(process, answerTimeoutMs, AbortSignal.any([network.held, broken]));
      if (network.held) throw new AnswerLost('the store fell silent');
    }
    if (broken.aborted) throw new AnswerLost('the connection broke');
    return settled();
  }

  private async giveUp(stream: string): Promise<never> {
    await this.options.scheduler.turn(this.options.process);
    throw new AppendOutcomeUnknown(`Nobody knows whether the append to ${stream} happened`);
  }

  private refuseWhenClosed(): void {
    if (this.closing.signal.aborted) throw new EventStoreUnavailable('The event store was closed');
  }
}

/** Does the work now and reports its outcome later: an error is an answer too, and takes its time. */
function attempt<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function pageSize(limit = maxPage): number {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`${limit} is not a number of events`);
  return Math.min(limit, maxPage);
}

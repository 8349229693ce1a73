import {
  ANY,
  MaxAppendSizeExceededError,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
  type EventData,
  type JSONEventType,
} from '@eventstore/db-client';
import { messageOf } from '#platform/errors.js';
import { retry } from '#platform/retry.js';
import { gaveUp, mayPass, pauses, timeLeft, unavailable, within } from '../calls.js';
import { EventStoreError, EventTooLarge, type AppendOutcome, type RecordedEvent } from '../event-store.js';
import { observeAppend } from '../observer.js';
import {
  findReplay,
  firstRevision,
  judgeRefused,
  type StoredPlaces,
  type Append,
  type SerialisedEvent,
} from '../serialised-event.js';
import type { AppendAnswer } from './batch-appends.js';
import type { Connection, GuardedClient } from './connection.js';
import { classifyGrpcFailure, moreTelling } from './failures.js';
import { readStream } from './reads.js';
import type { Watermark } from './watermark.js';

/**
 * How many events of the stream the appender searches after a refusal, or after a lost append that named no
 * revision.
 */
const searchedEvents = 1000;

interface AppendAttempts {
  readonly append: Append;
  readonly deadline: number;
  /** True after an attempt without an answer: the server may have written it. */
  unanswered: boolean;
  /** The first attempt is sent together with other appends. After a failure the append is sent alone. */
  alone: boolean;
}

/**
 * Appends, and finds out whether an append without an answer was written. It then sends the same ids again at
 * the same expected revision. The server always recognises this repetition by the events at those revisions.
 * For 'any' the server only has a cache in memory, so the appender searches the stream before a second
 * attempt. It retries failures that may pass until the deadline. Then the caller gets an error that says
 * either that nothing was written, or that the outcome is unknown.
 *
 * The first attempt shares one call with other appends. The server writes it, or refuses it by its revision.
 * In all other cases the unary call repeats it, because its errors say what failed.
 */
export class Appender {
  private readonly lanes = new Lanes();

  constructor(
    private readonly connection: Connection,
    private readonly watermark: Watermark,
  ) {}

  append(append: Append): Promise<AppendOutcome> {
    const { deadlineMs, observer } = this.connection.options;
    const attempts = { append, deadline: Date.now() + deadlineMs, unanswered: false, alone: false };
    return observeAppend(observer, async () => {
      const outcome = await this.lanes.run(append.stream, () => this.untilAnswered(attempts));
      if (attempts.unanswered) observer.unknownOutcomeResolved?.();
      return outcome;
    });
  }

  /** Resolves when every append has its outcome. */
  idle(): Promise<void> {
    return this.lanes.idle();
  }

  private async untilAnswered(attempts: AppendAttempts): Promise<AppendOutcome> {
    const { append, deadline } = attempts;
    let failure: unknown = new Error('too many wait');
    const attempt = async (number: number): Promise<AppendOutcome> => {
      if (Date.now() >= deadline) throw failure;
      try {
        return await this.attempt(attempts);
      } catch (error) {
        throw (failure = number === 1 ? error : moreTelling(failure, error));
      }
    };
    try {
      return await retry(attempt, {
        ...pauses,
        withinMs: deadline - Date.now(),
        mayPass: mayPass(classifyGrpcFailure),
        onFailure: (error) => this.connection.options.observer.retried?.('append', messageOf(error)),
      });
    } catch (error) {
      if (error instanceof EventStoreError) throw error;
      if (classifyGrpcFailure(error) === 'refused' && !attempts.unanswered)
        throw unavailable(error, 'refused');
      throw gaveUp(append.stream, attempts.unanswered, error);
    }
  }

  private async attempt(attempts: AppendAttempts): Promise<AppendOutcome> {
    const { append } = attempts;
    const before = await within(this.timeoutFor(attempts), this.watermark.now());
    if (attempts.unanswered && append.expected === 'any') {
      const replay = findReplay(append, placesOf(await this.search(attempts)));
      if (replay) return replay;
    }
    await this.connection.call((client) => client.ready(this.timeoutFor(attempts)));
    const sentAt = performance.now();
    try {
      const answer = await this.send(attempts);
      if (answer.kind === 'refused') return await this.verdictOn(attempts, answer.actual);
      return await this.outcomeOf(attempts, answer, before, sentAt);
    } catch (error) {
      attempts.alone = true;
      const meaning = translate(append, error);
      if (classifyGrpcFailure(meaning) === 'unknown') {
        attempts.unanswered = true;
        this.watermark.doubt();
      }
      throw meaning;
    }
  }

  private send(attempts: AppendAttempts): Promise<AppendAnswer> {
    const { append, alone } = attempts;
    const timeoutMs = this.timeoutFor(attempts);
    return this.connection.call((client) =>
      alone ? appendAlone(client, append, timeoutMs) : client.batch.append(append, timeoutMs),
    );
  }

  private async outcomeOf(
    attempts: AppendAttempts,
    { revision, position: commit }: Extract<AppendAnswer, { kind: 'written' }>,
    before: bigint,
    sentAt: number,
  ): Promise<AppendOutcome> {
    if (commit === undefined) {
      // The answer to a repetition may lack the position, so it is read from the event.
      const slice = await this.connection.call((client) =>
        readStream(client, attempts.append.stream, { from: revision, limit: 1 }, this.timeoutFor(attempts)),
      );
      const [last] = slice.kind === 'found' ? slice.events : [];
      if (last === undefined)
        throw new EventStoreError(`${attempts.append.stream} lost its event ${revision}`);
      return { outcome: 'appended', revision, position: last.position, replayed: true };
    }
    if (commit > before) this.watermark.observe(commit, sentAt);
    return { outcome: 'appended', revision, position: commit, replayed: commit <= before };
  }

  private async verdictOn(attempts: AppendAttempts, actual: bigint | 'no-stream'): Promise<AppendOutcome> {
    const { append } = attempts;
    const first = append.expected === 'any' ? undefined : firstRevision(append.expected);
    const beyond = actual !== 'no-stream' && (first === undefined || actual >= first);
    if (!beyond) return { outcome: 'wrong-expected-revision', actual };
    const verdict = judgeRefused(append, actual, placesOf(await this.search(attempts)));
    if (verdict instanceof Error) throw verdict;
    return verdict;
  }

  /** The events of the stream after the expected revision, or the last events of the stream. */
  private async search(attempts: AppendAttempts) {
    const { stream, expected } = attempts.append;
    const place =
      expected === 'any' ? ({ direction: 'backwards' } as const) : { from: firstRevision(expected) };
    const slice = await this.connection.call((client) =>
      readStream(client, stream, { ...place, limit: searchedEvents }, this.timeoutFor(attempts)),
    );
    return slice.kind === 'found' ? slice.events : [];
  }

  private timeoutFor({ deadline }: AppendAttempts): number {
    return timeLeft(this.connection.options, deadline);
  }
}

async function appendAlone(
  client: GuardedClient,
  { stream, expected, events }: Append,
  timeoutMs: number,
): Promise<AppendAnswer> {
  const options = {
    expectedRevision: expected === 'no-stream' ? NO_STREAM : expected === 'any' ? ANY : expected,
    requiresLeader: true,
    deadline: timeoutMs,
  } as const;
  try {
    // The deadline of the call does not cover the search for a node, so this code enforces the time limit
    // too.
    const sending = client.appendToStream(stream, events.map(toProposed), options);
    const { nextExpectedRevision, position } = await within(timeoutMs, sending);
    // Despite its name, this is the revision of the last event written.
    const revision = BigInt(nextExpectedRevision);
    return { kind: 'written', revision, position: position && BigInt(position.commit) };
  } catch (error) {
    if (!(error instanceof WrongExpectedVersionError)) throw error;
    const { actualVersion } = error;
    return { kind: 'refused', actual: actualVersion === 'no_stream' ? 'no-stream' : BigInt(actualVersion) };
  }
}

function placesOf(events: readonly RecordedEvent[]): StoredPlaces {
  return new Map(events.map((event) => [event.id.toLowerCase(), event]));
}

function translate({ stream }: Append, error: unknown): unknown {
  if (error instanceof MaxAppendSizeExceededError)
    return new EventTooLarge(
      `The append to ${stream} is larger than the ${error.maxAppendSize} bytes that the server takes at once`,
    );
  if (error instanceof StreamDeletedError) return new EventStoreError(`${stream} was deleted`);
  return error;
}

/** The server's default limit (`MaxAppendSize`) for all events of one append together. */
export const defaultMaxAppendBytes = 1024 * 1024;

/**
 * Refuses an append beyond the server's limit. An append is one call, all or nothing, so it cannot be split.
 * The size is computed like the server does: data, metadata, and two bytes for each character of the type.
 * @throws EventTooLarge
 */
export function refuseOversize(stream: string, events: readonly SerialisedEvent[], maxBytes: number): void {
  const bytes = events.reduce((sum, event) => sum + event.bytes + 2 * event.type.length, 0);
  if (bytes > maxBytes)
    throw new EventTooLarge(
      `The append to ${stream} has ${bytes} bytes in ${events.length} events; the server takes ${maxBytes} at once`,
    );
}

/**
 * The event in the client's form. The client serialises the data again. If that failed, its promise would
 * never settle. So the client only gets values that were parsed from our own JSON.
 */
export function toProposed({ id, type, data, metadata }: SerialisedEvent): EventData<JSONEventType> {
  return {
    id,
    type,
    contentType: 'application/json',
    // The client takes any JSON, also a number or null, but its declared type allows only objects, arrays and
    // strings.
    data: JSON.parse(data) as JSONEventType['data'],
    metadata: Uint8Array.from(Buffer.from(metadata)),
  };
}

/**
 * Calls that run at the same time. A server takes about a hundred on one connection; the rest are for
 * reading.
 */
const maxConcurrent = 64;

/**
 * Runs the appends to one stream one after the other, in the order of their arrival. Appends to different
 * streams run at the same time, up to a limit.
 */
export class Lanes {
  private readonly lanes = new Map<string, Promise<unknown>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const before = this.lanes.get(lane) ?? Promise.resolve();
    const mine = before.then(() => this.limited(work));
    const settled = mine.catch(() => undefined);
    this.lanes.set(lane, settled);
    try {
      return await mine;
    } finally {
      if (this.lanes.get(lane) === settled) this.lanes.delete(lane);
    }
  }

  /** Resolves when all work is done. */
  async idle(): Promise<void> {
    while (this.lanes.size > 0) await Promise.all(this.lanes.values());
  }

  private async limited<T>(work: () => Promise<T>): Promise<T> {
    // The next waiting call takes the place of the call that ended.
    if (this.running >= maxConcurrent) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

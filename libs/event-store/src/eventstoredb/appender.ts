import { setTimeout as sleep } from 'node:timers/promises';
import {
  ANY,
  MaxAppendSizeExceededError,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
  type AppendResult,
} from '@eventstore/db-client';
import {
  AppendOutcomeUnknown,
  EventStoreError,
  EventStoreUnavailable,
  EventTooLarge,
  type AppendOutcome,
} from '../event-store.js';
import { observeAppend } from '../observer.js';
import type { Connection } from './connection.js';
import { backoffMs, classify, messageOf, moreTelling, unavailable, within } from './failures.js';
import { Lanes } from './lanes.js';
import { toProposed } from './proposed-event.js';
import { readStream } from './reads.js';
import { findReplay, firstRevision, judgeRefused, type Append } from './replays.js';
import type { Watermark } from './watermark.js';

/** How far an append that was refused, or a lost one without an explicit revision, is looked for in its stream. */
const searchedEvents = 1000;

interface Attempts {
  readonly append: Append;
  readonly deadline: number;
  /** An attempt may have been carried out although no answer came. */
  unanswered: boolean;
}

/**
 * Appends, and finds out what became of them. A lost answer is asked for again with the same ids at the same expected
 * revision, which the server recognises for ever: by the events that lie at those revisions. For 'any' it only has a
 * cache in memory, so the stream is searched before a second attempt. Until the deadline every failure that may pass is
 * tried again; then the caller hears whether nothing was written or whether that is not known.
 */
export class Appender {
  private readonly lanes = new Lanes();

  constructor(
    private readonly connection: Connection,
    private readonly watermark: Watermark,
  ) {}

  append(append: Append): Promise<AppendOutcome> {
    const { deadlineMs, observer } = this.connection.options;
    const attempts = { append, deadline: Date.now() + deadlineMs, unanswered: false };
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

  private async untilAnswered(attempts: Attempts): Promise<AppendOutcome> {
    let failure: unknown;
    for (let attempt = 0; ; attempt++) {
      if (attempt === 0 && Date.now() >= attempts.deadline)
        throw gaveUp(attempts, new Error('too many wait'));
      try {
        return await this.attempt(attempts);
      } catch (error) {
        const leftMs = attempts.deadline - Date.now();
        failure = moreTelling(failure, error);
        if (error instanceof EventStoreError) throw error;
        if (classify(error) === 'refused')
          throw attempts.unanswered ? gaveUp(attempts, error) : unavailable(error);
        if (leftMs <= 0) throw gaveUp(attempts, failure);
        this.connection.options.observer.retried?.('append', messageOf(error));
        await sleep(Math.min(backoffMs(attempt), leftMs));
        if (Date.now() >= attempts.deadline) throw gaveUp(attempts, failure);
      }
    }
  }

  private async attempt(attempts: Attempts): Promise<AppendOutcome> {
    const { append } = attempts;
    const before = await within(this.timeoutFor(attempts), this.watermark.now());
    if (attempts.unanswered && append.expected === 'any') {
      const replay = findReplay(append, await this.search(attempts));
      if (replay) return replay;
    }
    await this.connection.call((client) => client.ready(this.timeoutFor(attempts)));
    const sentAt = performance.now();
    try {
      const result = await this.send(attempts);
      return await this.outcomeOf(attempts, result, before, sentAt);
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return this.verdictOn(attempts, error);
      const meaning = translate(append, error);
      if (classify(meaning) === 'unknown') {
        attempts.unanswered = true;
        this.watermark.doubt();
      }
      throw meaning;
    }
  }

  private send(attempts: Attempts): Promise<AppendResult> {
    const { stream, expected, events } = attempts.append;
    const deadline = this.timeoutFor(attempts);
    const options = {
      expectedRevision: expected === 'no-stream' ? NO_STREAM : expected === 'any' ? ANY : expected,
      requiresLeader: true,
      deadline,
    } as const;
    // The deadline of the call does not cover the search for a node, so the time limit is kept here too.
    return this.connection.call((client) =>
      within(deadline, client.appendToStream(stream, events.map(toProposed), options)),
    );
  }

  private async outcomeOf(
    attempts: Attempts,
    { nextExpectedRevision, position }: AppendResult,
    before: bigint,
    sentAt: number,
  ): Promise<AppendOutcome> {
    // Despite its name it is the revision of the last event that was written.
    const revision = BigInt(nextExpectedRevision);
    if (position === undefined) {
      // A server that answers a repetition need not know where the events lie.
      const slice = await this.connection.call((client) =>
        readStream(client, attempts.append.stream, { from: revision, limit: 1 }, this.timeoutFor(attempts)),
      );
      const [last] = slice.kind === 'found' ? slice.events : [];
      if (last === undefined)
        throw new EventStoreError(`${attempts.append.stream} lost its event ${revision}`);
      return { outcome: 'appended', revision, position: last.position, replayed: true };
    }
    const commit = BigInt(position.commit);
    if (commit > before) this.watermark.observe(commit, sentAt);
    return { outcome: 'appended', revision, position: commit, replayed: commit <= before };
  }

  private async verdictOn(
    attempts: Attempts,
    { actualVersion }: WrongExpectedVersionError,
  ): Promise<AppendOutcome> {
    const { append } = attempts;
    const actual = actualVersion === 'no_stream' ? 'no-stream' : BigInt(actualVersion);
    const first = append.expected === 'any' ? undefined : firstRevision(append.expected);
    const beyond = actual !== 'no-stream' && (first === undefined || actual >= first);
    if (!beyond) return { outcome: 'wrong-expected-revision', actual };
    const verdict = judgeRefused(append, actual, await this.search(attempts));
    if (verdict instanceof Error) throw verdict;
    return verdict;
  }

  /** The events of the stream after the expected revision, or its last ones, in order. */
  private async search(attempts: Attempts) {
    const { stream, expected } = attempts.append;
    const place =
      expected === 'any' ? ({ direction: 'backwards' } as const) : { from: firstRevision(expected) };
    const slice = await this.connection.call((client) =>
      readStream(client, stream, { ...place, limit: searchedEvents }, this.timeoutFor(attempts)),
    );
    const events = slice.kind === 'found' ? slice.events : [];
    return expected === 'any' ? events.toReversed() : events;
  }

  private timeoutFor({ deadline }: Attempts): number {
    return Math.max(1, Math.min(this.connection.options.answerTimeoutMs, deadline - Date.now()));
  }
}

function translate({ stream }: Append, error: unknown): unknown {
  if (error instanceof MaxAppendSizeExceededError)
    return new EventTooLarge(
      `The append to ${stream} is larger than the ${error.maxAppendSize} bytes that the server takes at once`,
    );
  if (error instanceof StreamDeletedError) return new EventStoreError(`${stream} was deleted`);
  return error;
}

function gaveUp({ append, unanswered }: Attempts, cause: unknown): Error {
  const last = messageOf(cause);
  return unanswered
    ? new AppendOutcomeUnknown(`It is not known whether the append to ${append.stream} happened: ${last}`, {
        cause,
      })
    : new EventStoreUnavailable(`Nothing was appended to ${append.stream}: ${last}`, { cause });
}

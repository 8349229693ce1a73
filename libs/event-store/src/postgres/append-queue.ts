import type pg from 'pg';
import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '#platform/errors.js';
import { sqlState } from '#platform/postgres.js';
import { retry } from '#platform/retry.js';
import { gaveUp, pauses, unavailable } from '../calls.js';
import type { AppendOutcome } from '../event-store.js';
import type { EventStoreObserver } from '../observer.js';
import { duplicateIds, findReplay, judgeRefused, type Append } from '../replays.js';
import { appendBatch, findEvents, isAccepted, type BatchAnswer } from './append-statement.js';
import { classifySqlFailure, hintFor, onClient } from './connection.js';

/** Bounds of one batch. An append larger than them still goes, alone. */
const maxBatchEvents = 2000;
const maxBatchBytes = 4 * 1024 * 1024;
const uniqueViolation = '23505';
/** Short, because appends with different deadlines wait through the same pause. */
const sendPauses = { ...pauses, longestPauseMs: 250 };

export interface AppendQueueOptions {
  readonly pool: pg.Pool;
  readonly schema: string;
  /** How long an append may be tried before the caller gets an error. */
  readonly deadlineMs: number;
  /** How long an answer may take before the connection counts as lost. */
  readonly answerTimeoutMs: number;
  /** Told the new head after each batch that wrote something. */
  readonly onAppended: (head: bigint) => void;
  readonly observer: EventStoreObserver;
}

interface WaitingAppend extends Append {
  readonly deadline: number;
  /** An earlier attempt may have been committed. */
  sent: boolean;
  /** Goes in a batch of its own, because a batch that it was part of failed on a duplicate id. */
  alone: boolean;
  settled: boolean;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Group commit. One batch is on its way at a time; what arrives meanwhile waits and then goes together: one round
 * trip and one disk flush for all. Without load an append does not wait.
 *
 * A batch whose answer is lost goes back to the head of the queue and is sent again, with the same ids at the same
 * expected revisions, so that it happens once however often it is sent. Appends to one stream keep their order:
 * a batch holds at most one of each stream, and later ones wait for the next.
 */
export class AppendQueue {
  private waiting: WaitingAppend[] = [];
  private draining: Promise<void> | undefined;

  constructor(private readonly options: AppendQueueOptions) {}

  append(append: Append): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + this.options.deadlineMs;
      const waiting: WaitingAppend = {
        ...{ ...append, deadline, sent: false, alone: false, settled: false, reject },
        resolve: (outcome) => {
          if (waiting.sent) this.options.observer.unknownOutcomeResolved?.();
          resolve(outcome);
        },
      };
      this.waiting.push(waiting);
      this.draining ??= this.drain();
    });
  }

  /** Resolves when every append has its outcome. */
  async idle(): Promise<void> {
    await this.draining;
  }

  private async drain(): Promise<void> {
    // A turn of the event loop lets all who were answered just now, and all of one tick, join the same batch.
    for (await turn(); this.waiting.length > 0; await turn()) {
      let failure: unknown;
      const again = (attempt: number) => {
        if (attempt > 1) this.giveUpExpired(failure);
        return this.sendNext();
      };
      const onFailure = (error: unknown) => {
        failure = error;
        this.options.observer.retried?.('append', messageOf(error));
      };
      await retry(again, { ...sendPauses, onFailure });
    }
    // In the same step as the last look at the queue: an append that comes after it starts anew.
    this.draining = undefined;
  }

  /** Rejects when there is something left to send again. */
  private async sendNext(): Promise<void> {
    const batch = this.takeBatch();
    const [first] = batch;
    if (first === undefined) return;
    try {
      await this.send(batch, this.timeoutFor(first));
    } catch (error) {
      this.putBack(batch);
      this.giveUpExpired(error);
      if (this.waiting.length > 0) throw error;
    }
  }

  /** The longest run of waiting appends that may go together, in order, skipping streams that are in it already. */
  private takeBatch(): WaitingAppend[] {
    const batch: WaitingAppend[] = [];
    const left: WaitingAppend[] = [];
    const streams = new Set<string>();
    let events = 0;
    let bytes = 0;
    for (const append of this.waiting) {
      const size = append.events.reduce((sum, event) => sum + event.bytes, 0);
      const fits = events + append.events.length <= maxBatchEvents && bytes + size <= maxBatchBytes;
      const mayJoin = batch.length === 0 || (fits && !append.alone && !batch[0]?.alone);
      if (mayJoin && !streams.has(append.stream)) {
        batch.push(append);
        events += append.events.length;
        bytes += size;
      } else left.push(append);
      streams.add(append.stream);
    }
    this.waiting = left;
    return batch;
  }

  private async send(batch: readonly WaitingAppend[], timeoutMs: number): Promise<void> {
    try {
      await onClient(this.options.pool, (client) => this.sendOn(client, batch, timeoutMs), timeoutMs);
    } catch (error) {
      const failure = classifySqlFailure(error);
      if (failure === 'unknown') for (const append of batch) append.sent = true;
      if (failure !== 'refused') throw error;
      await this.handleRefusal(batch, error, timeoutMs);
    }
  }

  private async sendOn(
    client: pg.PoolClient,
    batch: readonly WaitingAppend[],
    timeoutMs: number,
  ): Promise<void> {
    const { schema } = this.options;
    const answer = await appendBatch(client, schema, batch, timeoutMs);
    const refused = this.settleAccepted(batch, answer);
    if (refused.length === 0) return;
    const ids = refused.flatMap(({ append }) => append.events.map(({ id }) => id));
    const places = await findEvents(client, schema, ids, timeoutMs);
    for (const { append, actual } of refused)
      settle(append, judgeRefused(append, actual < 0n ? 'no-stream' : actual, places));
  }

  /** The server rolled the statement back. One by one, only the append that is to blame fails, and not its neighbours. */
  private async handleRefusal(
    batch: readonly WaitingAppend[],
    error: unknown,
    timeoutMs: number,
  ): Promise<void> {
    const [append] = batch;
    if (append === undefined || batch.length > 1) {
      for (const each of batch) each.alone = true;
      this.putBack(batch);
    } else if (sqlState(error) === uniqueViolation) {
      const ids = append.events.map(({ id }) => id);
      const find = (client: pg.PoolClient) => findEvents(client, this.options.schema, ids, timeoutMs);
      const places = await onClient(this.options.pool, find, timeoutMs);
      settle(append, findReplay(append, places) ?? duplicateIds(append));
    } else giveUp(append, error);
  }

  private timeoutFor({ deadline }: WaitingAppend): number {
    return Math.max(1, Math.min(this.options.answerTimeoutMs, deadline - Date.now()));
  }

  private putBack(batch: readonly WaitingAppend[]): void {
    this.waiting.unshift(...batch.filter(({ settled }) => !settled));
  }

  private settleAccepted(batch: readonly WaitingAppend[], { base, actual }: BatchAnswer) {
    const refused: { append: WaitingAppend; actual: bigint }[] = [];
    let head = base;
    for (const [index, append] of batch.entries()) {
      const before = actual[index];
      if (before === undefined) throw new Error('the answer has fewer streams than the batch');
      if (isAccepted(append.expected, before)) {
        head += BigInt(append.events.length);
        const revision = before + BigInt(append.events.length);
        settle(append, { outcome: 'appended', revision, position: head, replayed: false });
      } else refused.push({ append, actual: before });
    }
    if (head > base) this.options.onAppended(head);
    return refused;
  }

  private giveUpExpired(error: unknown): void {
    const now = Date.now();
    for (const append of this.waiting) if (append.deadline <= now) giveUp(append, error);
    this.waiting = this.waiting.filter(({ settled }) => !settled);
  }
}

function settle(append: WaitingAppend, verdict: AppendOutcome | Error): void {
  append.settled = true;
  if (verdict instanceof Error) append.reject(verdict);
  else append.resolve(verdict);
}

function giveUp(append: WaitingAppend, cause: unknown): void {
  const refused = !append.sent && classifySqlFailure(cause) === 'refused';
  settle(append, refused ? unavailable(cause, hintFor(cause)) : gaveUp(append.stream, append.sent, cause));
}

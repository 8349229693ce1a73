import type pg from 'pg';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { sqlState } from '#platform/postgres.js';
import { AppendOutcomeUnknown, EventStoreUnavailable, type AppendOutcome } from '../event-store.js';
import type { EventStoreObserver } from '../observer.js';
import { appendBatch, isAccepted, type Append, type BatchAnswer } from './append-statement.js';
import { backoffMs, classify, messageOf, onClient, unavailable } from './connection.js';
import { findEvents, judgeDuplicate, judgeRefused } from './replays.js';

/** Bounds of one batch. An append larger than them still goes, alone. */
const maxBatchEvents = 2000;
const maxBatchBytes = 4 * 1024 * 1024;
const uniqueViolation = '23505';

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

interface Waiting extends Append {
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
 * trip and one disk flush for all. Under no load an append waits for nobody.
 *
 * A batch whose answer is lost goes back to the head of the queue and is sent again, with the same ids at the same
 * expected revisions, so that it happens once however often it is sent. Appends to one stream keep their order:
 * a batch holds at most one of each stream, and later ones wait for the next.
 */
export class AppendQueue {
  private waiting: Waiting[] = [];
  private draining: Promise<void> | undefined;

  constructor(private readonly options: AppendQueueOptions) {}

  append(append: Append): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + this.options.deadlineMs;
      const waiting: Waiting = {
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
    let failures = 0;
    // A turn of the event loop lets all who were answered just now, and all of one tick, join the same batch.
    for (await turn(); this.waiting.length > 0; await turn()) {
      const batch = this.takeBatch();
      try {
        await this.send(batch);
        failures = 0;
      } catch (error) {
        this.putBack(batch);
        this.giveUpExpired(error);
        if (this.waiting.length > 0) this.options.observer.retried?.('append', messageOf(error));
        if (this.waiting.length > 0) await sleep(Math.min(backoffMs(failures++), this.untilFirstDeadline()));
        this.giveUpExpired(error);
      }
    }
    // In the same step as the last look at the queue: an append that comes after it starts anew.
    this.draining = undefined;
  }

  /** The longest run of waiting appends that may go together, in order, skipping streams that are in it already. */
  private takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const streams = new Set<string>();
    let events = 0;
    let bytes = 0;
    for (const append of this.waiting) {
      const size = append.events.reduce((sum, event) => sum + event.bytes, 0);
      const fits = events + append.events.length <= maxBatchEvents && bytes + size <= maxBatchBytes;
      const mayJoin = batch.length === 0 || (fits && !append.alone && !batch[0]!.alone);
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

  private async send(batch: readonly Waiting[]): Promise<void> {
    const timeoutMs = this.timeoutFor(batch);
    try {
      await onClient(this.options.pool, (client) => this.sendOn(client, batch, timeoutMs), timeoutMs);
    } catch (error) {
      const failure = classify(error);
      if (failure === 'unknown') for (const append of batch) append.sent = true;
      if (failure !== 'refused') throw error;
      await this.handleRefusal(batch, error);
    }
  }

  private async sendOn(client: pg.PoolClient, batch: readonly Waiting[], timeoutMs: number): Promise<void> {
    const { schema } = this.options;
    const answer = await appendBatch(client, schema, batch, timeoutMs);
    const refused = this.settleAccepted(batch, answer);
    if (refused.length === 0) return;
    const ids = refused.flatMap(({ append }) => append.events.map(({ id }) => id));
    const places = await findEvents(client, schema, ids, timeoutMs);
    for (const { append, actual } of refused) settle(append, judgeRefused(append, actual, places));
  }

  /** The server rolled the statement back. One by one, only the append that is to blame fails, and not its neighbours. */
  private async handleRefusal(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [append] = batch;
    if (append === undefined || batch.length > 1) {
      for (const each of batch) each.alone = true;
      this.putBack(batch);
    } else if (sqlState(error) === uniqueViolation) {
      const ids = append.events.map(({ id }) => id);
      const timeoutMs = this.timeoutFor(batch);
      const find = (client: pg.PoolClient) => findEvents(client, this.options.schema, ids, timeoutMs);
      const places = await onClient(this.options.pool, find, timeoutMs);
      settle(append, judgeDuplicate(append, places));
    } else giveUp(append, error);
  }

  private timeoutFor(batch: readonly Waiting[]): number {
    return Math.max(1, Math.min(this.options.answerTimeoutMs, batch[0]!.deadline - Date.now()));
  }

  private putBack(batch: readonly Waiting[]): void {
    this.waiting.unshift(...batch.filter(({ settled }) => !settled));
  }

  private settleAccepted(batch: readonly Waiting[], { base, actual }: BatchAnswer) {
    const refused: { append: Waiting; actual: bigint }[] = [];
    let head = base;
    batch.forEach((append, index) => {
      const before = actual[index]!;
      if (!isAccepted(append.expected, before)) return refused.push({ append, actual: before });
      head += BigInt(append.events.length);
      const revision = before + BigInt(append.events.length);
      return settle(append, { outcome: 'appended', revision, position: head, replayed: false });
    });
    if (head > base) this.options.onAppended(head);
    return refused;
  }

  private giveUpExpired(error: unknown): void {
    const now = Date.now();
    for (const append of this.waiting) if (append.deadline <= now) giveUp(append, error);
    this.waiting = this.waiting.filter(({ settled }) => !settled);
  }

  private untilFirstDeadline(): number {
    return Math.max(0, Math.min(...this.waiting.map(({ deadline }) => deadline)) - Date.now());
  }
}

function settle(append: Waiting, verdict: AppendOutcome | Error): void {
  append.settled = true;
  if (verdict instanceof Error) append.reject(verdict);
  else append.resolve(verdict);
}

function giveUp(append: Waiting, cause: unknown): void {
  const last = messageOf(cause);
  if (append.sent)
    settle(
      append,
      new AppendOutcomeUnknown(`It is not known whether the append to ${append.stream} happened: ${last}`, {
        cause,
      }),
    );
  else if (classify(cause) === 'refused') settle(append, unavailable(cause));
  else
    settle(append, new EventStoreUnavailable(`Nothing was appended to ${append.stream}: ${last}`, { cause }));
}

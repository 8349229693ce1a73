import type pg from 'pg';
import { setImmediate as turn } from 'node:timers/promises';
import { isDiskFull, messageOf } from '#platform/errors.js';
import { sqlState } from '#platform/postgres.js';
import { retry } from '#platform/retry.js';
import { gaveUp, pauses, timeLeft, unavailable, type CallLimits } from '../calls.js';
import type { AppendOutcome, AppendTogetherOutcome } from '../event-store.js';
import {
  duplicateIds,
  findReplays,
  judgeRefused,
  type StoredPlaces,
  type Append,
} from '../serialised-event.js';
import { appendBatch, findEvents, isAccepted, type BatchAnswer } from './append-statement.js';
import { classifySqlFailure, withQueries, type Query } from './connection.js';

/** Bounds of one batch. A larger append still goes, alone. */
const maxBatchEvents = 2000;
const maxBatchBytes = 4 * 1024 * 1024;
const uniqueViolation = '23505';
/** Short, because appends with different deadlines wait through the same pause. */
const sendPauses = { ...pauses, longestPauseMs: 250 };

interface AppendQueueOptions extends CallLimits {
  readonly pool: pg.Pool;
  /** Gets the head after each batch. */
  readonly onAppended: (head: bigint) => void;
}

/** Appends that happen together; most often there is one. */
interface WaitingGroup {
  readonly appends: readonly Append[];
  readonly deadline: number;
  /** An earlier attempt may have been committed. */
  sent: boolean;
  /** Sent in a batch of its own, because its earlier batch failed on a duplicate id. */
  alone: boolean;
  settled: boolean;
  readonly resolve: (outcome: GroupOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** Like {@link AppendTogetherOutcome}, but a refusal holds each stream's revision; -1: no stream. */
type GroupOutcome =
  | Extract<AppendTogetherOutcome, { readonly outcome: 'appended' }>
  | { readonly outcome: 'wrong-expected-revision'; readonly actual: readonly bigint[] };

/**
 * Group commit. Only one batch is sent at a time. Appends that arrive meanwhile wait, and are then sent
 * together, with one round trip and one disk flush for all. Without load an append does not wait.
 *
 * If the answer to a batch is lost, the batch goes back to the head of the queue. It is sent again with the
 * same ids at the same expected revisions, so each append happens only once. Appends to one stream keep their
 * order: a batch holds at most one append to each stream, and later ones wait for the next batch. A batch may
 * hold several guards of one stream, but never a guard and a write of the same stream.
 */
export class AppendQueue {
  private waiting: WaitingGroup[] = [];
  private draining: Promise<void> | undefined;

  constructor(private readonly options: AppendQueueOptions) {}

  async append(append: Append): Promise<AppendOutcome> {
    // One append was enqueued, so there is one answer.
    const outcome = await this.enqueue([append]);
    if (outcome.outcome === 'appended') {
      const { replayed, writes } = outcome;
      return { outcome: 'appended', ...writes[0]!, replayed };
    }
    return { outcome: outcome.outcome, actual: revisionOf(outcome.actual[0]!) };
  }

  async appendTogether(appends: readonly Append[]): Promise<AppendTogetherOutcome> {
    const outcome = await this.enqueue(appends);
    if (outcome.outcome === 'appended') return outcome;
    // One for each append.
    const wrong = appends.filter(({ expected }, index) => !isAccepted(expected, outcome.actual[index]!));
    return { outcome: outcome.outcome, streams: wrong.map(({ stream }) => stream) };
  }

  private enqueue(appends: readonly Append[]): Promise<GroupOutcome> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + this.options.deadlineMs;
      const waiting: WaitingGroup = {
        appends,
        deadline,
        sent: false,
        alone: false,
        settled: false,
        reject,
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
    // Waits one turn of the event loop, so that callers that were just answered, and all calls of one tick, can
    // join the same batch.
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
    // Runs in the same tick as the last check of the queue, so a later append starts a new drain.
    this.draining = undefined;
  }

  /** Rejects when there is something left to send again. */
  private async sendNext(): Promise<void> {
    const batch = this.takeBatch();
    const [first] = batch;
    if (first === undefined) return;
    try {
      await this.send(batch, timeLeft(this.options, first.deadline));
    } catch (error) {
      // A full disk does not get room within a deadline, so the callers get the error at once. Their appends
      // were rolled back.
      if (isDiskFull(error)) for (const group of batch) if (!group.settled) giveUp(group, error);
      this.putBack(batch);
      this.giveUpExpired(error);
      if (this.waiting.length > 0) throw error;
    }
  }

  /**
   * Takes as many waiting appends as may go together, in order. It skips streams that are already in the batch.
   */
  private takeBatch(): WaitingGroup[] {
    const batch: WaitingGroup[] = [];
    const left: WaitingGroup[] = [];
    const written = new Set<string>();
    const named = new Set<string>();
    let events = 0;
    let bytes = 0;
    for (const group of this.waiting) {
      const own = group.appends.flatMap((append) => append.events);
      const size = own.reduce((sum, event) => sum + event.bytes, 0);
      const fits = events + own.length <= maxBatchEvents && bytes + size <= maxBatchBytes;
      const mayJoin = batch.length === 0 || (fits && !group.alone && !batch[0]?.alone);
      const clashes = group.appends.some(({ stream, events: { length } }) =>
        (length > 0 ? named : written).has(stream),
      );
      if (mayJoin && !clashes) {
        batch.push(group);
        events += own.length;
        bytes += size;
      } else left.push(group);
      for (const append of group.appends) {
        named.add(append.stream);
        if (append.events.length > 0) written.add(append.stream);
      }
    }
    this.waiting = left;
    return batch;
  }

  private async send(batch: readonly WaitingGroup[], timeoutMs: number): Promise<void> {
    try {
      await withQueries(this.options.pool, timeoutMs, (query) => this.sendOn(query, batch));
    } catch (error) {
      const failure = classifySqlFailure(error);
      if (failure === 'unknown') for (const group of batch) group.sent = true;
      if (failure !== 'refused') throw error;
      await this.handleRefusal(batch, error, timeoutMs);
    }
  }

  private async sendOn(query: Query, batch: readonly WaitingGroup[]): Promise<void> {
    const appends = batch.map((group) => group.appends);
    const refused = this.settleAccepted(batch, await appendBatch(query, appends));
    if (refused.length === 0) return;
    const places = await findEvents(
      query,
      refused.flatMap(({ group }) => idsOf(group)),
    );
    for (const { group, actual } of refused) settle(group, judge(group, actual, places));
  }

  /** The server rolled the statement back. Each append is now sent alone, so that only the faulty one fails. */
  private async handleRefusal(
    batch: readonly WaitingGroup[],
    error: unknown,
    timeoutMs: number,
  ): Promise<void> {
    const [group] = batch;
    if (group === undefined || batch.length > 1) {
      for (const each of batch) each.alone = true;
      this.putBack(batch);
    } else if (sqlState(error) === uniqueViolation) {
      const find = (query: Query) => findEvents(query, idsOf(group));
      const places = await withQueries(this.options.pool, timeoutMs, find);
      settle(group, findReplays(group.appends, places) ?? duplicateIds(group.appends));
    } else giveUp(group, error);
  }

  private putBack(batch: readonly WaitingGroup[]): void {
    this.waiting.unshift(...batch.filter(({ settled }) => !settled));
  }

  private settleAccepted(batch: readonly WaitingGroup[], { base, actual }: BatchAnswer) {
    const refused: { group: WaitingGroup; actual: readonly bigint[] }[] = [];
    let head = base;
    let next = 0;
    for (const group of batch) {
      const { appends } = group;
      const before = actual.slice(next, (next += appends.length));
      if (before.length < appends.length) throw new Error('the answer has fewer streams than the batch');
      // One for each append, as was just looked at.
      if (appends.every(({ expected }, index) => isAccepted(expected, before[index]!))) {
        const writes = appends.map(({ events: { length } }, index) => {
          head += BigInt(length);
          return length > 0 ? { revision: before[index]! + BigInt(length), position: head } : undefined;
        });
        settle(group, { outcome: 'appended', writes, replayed: false });
      } else {
        refused.push({ group, actual: before });
      }
    }
    this.options.onAppended(head);
    return refused;
  }

  private giveUpExpired(error: unknown): void {
    const now = Date.now();
    for (const group of this.waiting) if (group.deadline <= now) giveUp(group, error);
    this.waiting = this.waiting.filter(({ settled }) => !settled);
  }
}

function revisionOf(actual: bigint): bigint | 'no-stream' {
  return actual < 0n ? 'no-stream' : actual;
}

function idsOf({ appends }: WaitingGroup): string[] {
  return appends.flatMap(({ events }) => events.map(({ id }) => id));
}

/** The verdict on a group that the store refused. Its appends were made together, or none of them was. */
function judge(
  { appends }: WaitingGroup,
  actual: readonly bigint[],
  places: StoredPlaces,
): GroupOutcome | Error {
  const replays = findReplays(appends, places);
  if (replays) return replays;
  for (const [index, append] of appends.entries()) {
    if (append.events.length === 0) continue;
    // One for each append.
    const verdict = judgeRefused(append, revisionOf(actual[index]!), places);
    if (verdict instanceof Error) return verdict;
    // The log holds this part of the group, but not the whole group. So other appends share its ids.
    if (verdict.outcome === 'appended') return duplicateIds(appends);
  }
  return { outcome: 'wrong-expected-revision', actual };
}

function settle(group: WaitingGroup, verdict: GroupOutcome | Error): void {
  group.settled = true;
  if (verdict instanceof Error) group.reject(verdict);
  else group.resolve(verdict);
}

function giveUp(group: WaitingGroup, cause: unknown): void {
  const refused = !group.sent && classifySqlFailure(cause) === 'refused';
  const streams = group.appends.map(({ stream }) => stream).join(', ');
  settle(group, refused ? unavailable(cause, 'refused') : gaveUp(streams, group.sent, cause));
}

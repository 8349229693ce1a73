import type pg from 'pg';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent, SubscriptionBatch } from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import { BatchFeed } from './batch-feed.js';
import { asConsumerError, ConsumerHalted } from './consumer-errors.js';
import type { CommitQueue } from './commit-queue.js';
import { close, sessionClient, type Task } from './exclusive-session.js';
import type { ActiveModel } from './model-fold.js';
import { LogMismatch, resumeFrom } from './log-fit.js';
import { loadParkedStreams } from './parked-events.js';
import { advance, markHalted, takeOver, earliest, type TakenOver } from './projection-checkpoints.js';
import { ProjectionSession } from './projection-session.js';
import { ProjectionTable } from './projection-table.js';
import type { ReadModel } from './read-model.js';
import { refold, type Behind, type RefoldOptions } from './refold.js';
import { StreamContinuity } from './stream-continuity.js';

/** How many events the read models of an environment commit together at most. */
const usualBatch = 2_000;

export interface ProjectionRunnerOptions {
  /** The read store's database. */
  readonly url: string;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  readonly readModels: readonly ReadModel<object>[];
  readonly log: Logger;
  /** Events a transaction at most. Default 2000. */
  readonly batchSize?: number | undefined;
  /** Rows that are folded again at a time. Default 2000. */
  readonly rowsAtOnce?: number | undefined;
}

/**
 * - `waiting`: the state at the start. Another runner owns this environment, the database cannot be reached, or
 *   this runner was asked to stop.
 * - `active`: this runner folds and commits. Left for `waiting` when its session is lost.
 * - `halted`: going on would have skipped an event. Final; a restart checks again.
 */
export type ProjectionRunnerState = 'waiting' | 'active' | 'halted';

/** An empty batch only moves checkpoints. It waits this long after the last commit for a batch with events. */
const idleCommitMs = 1_000;

/** Keeps all read models of one environment up to date. It reads the log once for all of them. */
export class ProjectionRunner implements Task {
  readonly lock: string;
  private state: ProjectionRunnerState = 'waiting';
  private actives: readonly ActiveModel[] = [];
  private problems: string[] = [];
  /** To be folded again, in part or as a whole. */
  private behind: Behind[] = [];

  constructor(private readonly options: ProjectionRunnerOptions) {
    this.lock = `atelier.projections.${options.environment}`;
  }

  /** `problems`: why it halted, or which read models stand still, by name: `usage: …`. */
  get status(): { readonly state: ProjectionRunnerState; readonly problems: readonly string[] } {
    return { state: this.state, problems: this.problems };
  }

  /** Resolves when the signal has aborted and the current batch is committed. @throws ConsumerHalted */
  async run(commits: CommitQueue, signal: AbortSignal): Promise<void> {
    const { url, environment, log, eventStore, rowsAtOnce } = this.options;
    const loader = sessionClient(url, `${this.lock}.loader`);
    // Noticed by the next query.
    loader.on('error', (error) => log.warn({ err: error, environment }, 'the loading connection failed'));
    const ended = new AbortController();
    try {
      await loader.connect();
      this.problems = [];
      this.actives = await this.activate(commits);
      this.state = 'active';
      const { actives } = this;
      const continuity = new StreamContinuity('projections');
      const session = new ProjectionSession({ commits, loader, environment, actives, continuity, log });
      const both = AbortSignal.any([signal, ended.signal]);
      const refolding = { eventStore, session, signal: both, rowsAtOnce };
      // If one of them fails, the other must end too before the work starts again.
      const together = [this.follow(session, both), this.refold(refolding)].map((work) =>
        work.catch((error: unknown) => {
          ended.abort();
          throw error;
        }),
      );
      for (const result of await Promise.allSettled(together))
        if (result.status === 'rejected') throw result.reason;
      this.state = 'waiting';
    } catch (thrown) {
      const error = asConsumerError(thrown);
      this.state = error instanceof ConsumerHalted ? 'halted' : 'waiting';
      if (error instanceof ConsumerHalted) await this.haltAll(commits, error);
      throw error;
    } finally {
      ended.abort();
      await close(loader);
    }
  }

  private async refold(options: RefoldOptions): Promise<void> {
    for (const behind of this.behind) await refold(behind, options);
    this.behind = [];
  }

  private async haltAll(commits: CommitQueue, error: ConsumerHalted): Promise<void> {
    const { environment, log } = this.options;
    log.fatal({ err: error, environment }, `the projections of ${environment} are halted`);
    await commits.alone((client) => this.halt(client, this.actives, String(error)));
  }

  private async follow(session: ProjectionSession, signal: AbortSignal): Promise<void> {
    const feed = new BatchFeed(this.subscribe(signal), signal);
    let committedAt = -idleCommitMs;
    for (let batch = await feed.next(); batch; batch = await feed.next()) {
      const idleMs = committedAt + idleCommitMs - performance.now();
      if (batch.events.length === 0 && idleMs > 0 && (await feed.another(idleMs))) continue;
      const anchor = batch.events.at(-1) ?? (await this.lastBefore(batch.position));
      if (!anchor) continue;
      await session.submit(batch.events, batch.position, anchor);
      committedAt = performance.now();
      if (!(await feed.another())) await session.settle();
    }
    await session.settle();
  }

  /**
   * The anchor of a batch without events. Such a batch only moves checkpoints. So after a failed read it can
   * wait for the next batch.
   */
  private lastBefore(position: bigint): Promise<RecordedEvent | undefined> {
    return this.options.eventStore.lastEvent(position).catch(() => undefined);
  }

  private subscribe(signal: AbortSignal): AsyncIterable<SubscriptionBatch> {
    const { eventStore, environment, readModels, batchSize = usualBatch } = this.options;
    const categories = new Set(readModels.flatMap((model) => model.categories));
    const positions = this.actives.map(({ checkpoint }) => checkpoint.position);
    const after = earliest(positions);
    return eventStore.subscribe({
      ...(after !== null && { after }),
      filter: { streamPrefixes: [...categories].map((category) => categoryPrefix(environment, category)) },
      batchSize,
      // Unproven events are parked, each with its stream, so that the rows of other streams stay up to date.
      unprovenToo: true,
      signal,
    });
  }

  /** Takes over the read models that can be kept up to date from here, and halts the others. */
  private async activate(commits: CommitQueue): Promise<ActiveModel[]> {
    const { environment, readModels } = this.options;
    const checkpoints = await commits.alone((client) => takeOver(client, environment, readModels));
    const parked = await commits.alone((client) => loadParkedStreams(client, environment));
    const actives: ActiveModel[] = [];
    this.behind = [];
    for (const model of readModels) {
      const found = checkpoints.find(({ name }) => name === model.name);
      // A read model without a serving generation is still being built. So there are no rows to update.
      if (!found) continue;
      const { name, generation, position, foldedTo, fewerTo } = found;
      const table = new ProjectionTable(environment, model, generation);
      const parkedStreams = parked.get(`${name}/${generation}`) ?? new Set();
      const active: ActiveModel = { model, table, checkpoint: found, parkedStreams };
      const because = await this.resume(active, found, commits);
      if (because !== undefined) {
        await commits.alone((client) => this.halt(client, [active], because));
        continue;
      }
      actives.push(active);
      if (foldedTo !== position) this.behind.push({ active, foldedTo, fewerTo });
    }
    // Checkpoints that had no event have one now.
    const completed = actives.map(({ checkpoint }) => checkpoint).filter(({ anchor }) => anchor);
    if (completed.length > 0)
      await commits.commit({ queries: [advance(environment, completed, readModels)] });
    // This is tried again from time to time, because a rebuild may bring them back.
    if (actives.length === 0)
      throw new Error(`no read model of ${environment} can continue from its rows: ${this.problems[0]}`);
    return actives;
  }

  /** Moves it to where its read model goes on. Returns why it cannot go on; undefined: it can. */
  private async resume(
    active: ActiveModel,
    { foldedTo, fewerTo, ...checkpoint }: TakenOver,
    commits: CommitQueue,
  ): Promise<string | undefined> {
    const { eventStore } = this.options;
    try {
      active.checkpoint = await resumeFrom(eventStore, checkpoint);
      // A release without anchors has folded events beyond the anchor. The rows hold these events already.
      if (![foldedTo, fewerTo].includes(checkpoint.position))
        active.checkpoint = await resumeFrom(eventStore, { ...checkpoint, anchor: undefined });
    } catch (error) {
      if (error instanceof LogMismatch) return error.message;
      throw error;
    }
    return commits.alone((client) => this.uselessBecause(client, active));
  }

  /** Undefined: the rows of this generation can be kept up to date. */
  private async uselessBecause(
    client: pg.Client,
    { model, checkpoint, table }: ActiveModel,
  ): Promise<string | undefined> {
    const { version } = checkpoint;
    if (version !== model.version)
      return `its rows are of version ${version}, the code folds ${model.version}: rebuild it`;
    const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
      table.name,
    ]);
    return rows[0]?.there ? undefined : `its table ${table.name} is gone: rebuild it`;
  }

  private async halt(client: pg.Client, actives: readonly ActiveModel[], because: string): Promise<void> {
    const { environment, log } = this.options;
    const checkpoints = actives.map(({ checkpoint }) => checkpoint);
    for (const { name } of checkpoints) {
      this.problems.push(`${name}: ${because}`);
      log.error({ projection: name, environment, because }, `${name} stands still: ${because}`);
    }
    await markHalted(client, environment, checkpoints, because);
  }
}

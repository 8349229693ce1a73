import type pg from 'pg';
import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventStore, SubscriptionBatch } from '#event-store/event-store.js';
import { defaults } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { BatchFeed } from './batch-feed.js';
import { ConsumerHalted } from './consumer-errors.js';
import { close, runExclusively, sessionClient } from './exclusive-session.js';
import type { ActiveModel } from './model-fold.js';
import { loadParkedStreams } from './parked-events.js';
import { markHalted, takeOver, earliest } from './projection-checkpoints.js';
import { ProjectionSession } from './projection-session.js';
import { ProjectionTable } from './projection-table.js';
import type { ReadModel } from './read-model.js';
import { StreamContinuity } from './stream-continuity.js';

export interface ProjectionRunnerOptions {
  /** The read store's database. */
  readonly url: string;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  readonly readModels: readonly ReadModel<object>[];
  readonly log: Logger;
  /** Events a transaction at most. Default 2000. */
  readonly batchSize?: number | undefined;
  /** How often a waiting runner looks whether it may take over. Default 1000. */
  readonly takeOverPollMs?: number | undefined;
}

/**
 * - `waiting`: another runner owns this environment, or the database cannot be reached. The state at the start.
 * - `active`: this one folds and commits. Left for `waiting` when its session is lost.
 * - `halted`: going on would have skipped an event. Final; a restart looks again.
 * - `stopped`: the signal was aborted.
 */
export type ProjectionRunnerState = 'waiting' | 'active' | 'halted' | 'stopped';

export interface ProjectionRunnerStatus {
  readonly state: ProjectionRunnerState;
  /** True when the end of the log has been reached since this runner became active. */
  readonly caughtUp: boolean;
  /** By read model; null: nothing yet. Empty before the first time that this runner is active. */
  readonly positions: ReadonlyMap<string, bigint | null>;
  /** Why it halted, or read models that stand still by name: `usage: …`. */
  readonly problems: readonly string[];
}

/** An empty batch moves checkpoints only, which can wait for a batch with events for this long. */
const idleCommitMs = 50;

/** Keeps all read models of one environment up to date, reading the log once for all of them. */
export class ProjectionRunner {
  private state: ProjectionRunnerState = 'waiting';
  private caughtUp = false;
  private actives: readonly ActiveModel[] = [];
  private problems: string[] = [];

  constructor(private readonly options: ProjectionRunnerOptions) {}

  get status(): ProjectionRunnerStatus {
    const positions = new Map(this.actives.map(({ checkpoint }) => [checkpoint.name, checkpoint.position]));
    return { state: this.state, caughtUp: this.caughtUp, positions, problems: this.problems };
  }

  /** Resolves when the signal aborts and the batch at hand is committed. @throws ConsumerHalted */
  async run(signal: AbortSignal): Promise<void> {
    const { environment, log, takeOverPollMs } = this.options;
    try {
      await runExclusively({ ...this.connection, signal, log, takeOverPollMs }, (writer, sessionSignal) =>
        this.session(writer, sessionSignal),
      );
      this.state = 'stopped';
    } catch (error) {
      this.state = 'halted';
      this.problems = [String(error)];
      log.fatal({ err: error, environment }, `the projections of ${environment} are halted`);
      throw error;
    }
  }

  private get connection() {
    const { url, environment } = this.options;
    // A batch that a crash takes back is folded again from history: rows and checkpoint always go together. Statements
    // are planned while a table may still be empty, and must not be stuck with the plan that was good then.
    const settings = { synchronous_commit: 'off', enable_seqscan: 'off' };
    return { url, lock: `atelier.projections.${environment}`, settings };
  }

  private async session(writer: pg.Client, signal: AbortSignal): Promise<void> {
    const { environment, log } = this.options;
    const loader = sessionClient(this.connection);
    // Noticed by the next query.
    loader.on('error', (error) => log.warn({ err: error, environment }, 'the loading connection failed'));
    const ended = new AbortController();
    try {
      await loader.connect();
      this.problems = [];
      this.actives = await this.activate(writer);
      this.state = 'active';
      const { actives } = this;
      const continuity = new StreamContinuity('projections');
      const session = new ProjectionSession({ writer, loader, environment, actives, continuity, log });
      await this.follow(session, AbortSignal.any([signal, ended.signal]));
    } catch (error) {
      if (error instanceof ConsumerHalted) await this.halt(writer, this.actives, String(error));
      throw error;
    } finally {
      ended.abort();
      this.state = 'waiting';
      this.caughtUp = false;
      await close(loader);
    }
  }

  private async follow(session: ProjectionSession, signal: AbortSignal): Promise<void> {
    const feed = new BatchFeed(this.subscribe(signal), signal);
    for (let batch = await feed.next(); batch; batch = await feed.next()) {
      if (batch.events.length === 0 && (await feed.another(idleCommitMs))) continue;
      await session.submit(batch.events, batch.position);
      if (await feed.another()) continue;
      await session.settle();
      if (batch.caughtUp) this.caughtUp = true;
    }
    await session.settle();
  }

  private subscribe(signal: AbortSignal): AsyncIterable<SubscriptionBatch> {
    const { eventStore, environment, readModels, batchSize = defaults.projectionBatch } = this.options;
    const categories = new Set(readModels.flatMap((model) => model.categories));
    const positions = this.actives.map(({ checkpoint }) => checkpoint.position);
    const after = earliest(positions);
    return eventStore.subscribe({
      ...(after !== null && { after }),
      filter: { streamPrefixes: [...categories].map((category) => categoryPrefix(environment, category)) },
      batchSize,
      signal,
    });
  }

  /** Takes the read models over, except those whose rows are gone or were made by another version of the fold. */
  private async activate(client: pg.Client): Promise<ActiveModel[]> {
    const { environment, readModels } = this.options;
    const checkpoints = await takeOver(client, environment, readModels);
    const parked = await loadParkedStreams(client, environment);
    const actives: ActiveModel[] = [];
    for (const model of readModels) {
      const checkpoint = checkpoints.find(({ name }) => name === model.name);
      // Of a read model that is only being built there is nothing to keep up to date.
      if (!checkpoint) continue;
      const { name, generation } = checkpoint;
      const table = new ProjectionTable(environment, model, generation);
      const active = {
        model,
        table,
        checkpoint,
        parkedStreams: parked.get(`${name}/${generation}`) ?? new Set(),
      };
      const because = await this.uselessBecause(client, active);
      if (because === undefined) actives.push(active);
      else await this.halt(client, [active], because);
    }
    // Tried again from time to time: a rebuild may bring them back.
    if (actives.length === 0)
      throw new Error(`no read model of ${environment} has rows to go on from: rebuild them`);
    return actives;
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

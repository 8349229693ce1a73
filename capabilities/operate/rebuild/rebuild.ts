import { onlyRow, sqlState } from '#platform/postgres.js';
import { retry } from '#platform/retry.js';
import { addPrimaryKey, analyze, autovacuum, createIndexes, primaryKeyOf } from '#read-store/entity-table.js';
import { Comparison, LiveGenerations, type RowDifferences } from './comparison.js';
import { dropGeneration, loadGenerations, markComplete, switchTo, type ServingRow } from './generations.js';
import { HistoryFold } from './history-fold.js';
import { prepareBuilds, type Preparation, type PreparedBuild, type Purpose } from './prepare-builds.js';
import { RebuildRefused, RebuildSession, type RebuildOptions } from './rebuild-session.js';

export interface RebuildRequest extends RebuildOptions {
  /** Whether a generation may take the place of the live one although it differs. */
  readonly acceptDifferences?: boolean;
  /** False: the generation is built and compared, and then waits for a `switch`. Default true. */
  readonly switchOver?: boolean;
}

export interface RebuiltModel {
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  /** The version of the fold whose rows were live at the start; null: there were none to compare with. */
  readonly liveVersion: number | null;
  readonly liveGeneration: number | null;
  /** The position up to which an earlier run had folded it. */
  readonly resumedAfter: bigint | null;
  /** Null if the history has no events for any read model. */
  readonly position: bigint | null;
  readonly rows: number;
  readonly parkedStreams: number;
  /** Undefined: there was no generation to compare with, or no comparison was wanted. */
  readonly compared: RowDifferences | undefined;
  readonly switched: boolean;
}

export interface RebuildReport {
  readonly models: readonly RebuiltModel[];
  /** Events read from the log, once for all read models. `foldSeconds` is how long folding them took. */
  readonly events: number;
  readonly foldSeconds: number;
  /** How long the projector was kept from committing at the switch. */
  readonly heldMs: number;
}

/**
 * Fills new generations from the whole history, compares each with the live one and lets it take its place.
 *
 * Both are compared at the same position. It holds the checkpoints of the live generations until the new ones
 * have reached them (milliseconds, because they were close before). Then it takes a snapshot and releases the
 * checkpoints. In the snapshot both have seen the same events, so the comparison may take any time. Rows that
 * changed since then are compared by their keys, in further snapshots, until few are left. The last few are
 * compared while the checkpoints are held for the switch.
 *
 * A live generation that stands still (`halted`) is compared at its position; later events are folded after
 * that. One without a table is not compared.
 * @throws RebuildRefused, SkippedEvent, the reason of the signal
 */
export async function rebuild(request: RebuildRequest, purpose: Purpose = 'rebuild'): Promise<RebuildReport> {
  await using session = await RebuildSession.open(request);
  const preparation = await prepareBuilds(session, purpose, request.acceptDifferences ?? false);
  try {
    return await new RebuildRun(session, preparation, request, purpose).run();
  } finally {
    // Runs after success and failure. If the removal fails, the next comparison does it.
    if (purpose === 'compare') await removeCompared(session, preparation).catch(() => undefined);
  }
}

/**
 * The live generations move on while history is folded. The fold catches up in rounds until a round is shorter
 * than this.
 */
const closeEnoughMs = 300;
/** On a machine that is too busy for that, the fold counts as close enough after this many rounds. */
const chasingRounds = 10;
/** At most this many rows may remain to be compared while the projector waits. */
const rowsComparedInHold = 500;
const fullComparisons = 5;
const switchAttempts = 40;
const switchRetryMs = 250;
/** SQLSTATE: a lock timeout, because a reader used the view for too long; a deadlock. */
const passing = ['55P03', '40P01'];

/** One rebuild, comparison, switch or rollback from its prepared generations to its end. */
class RebuildRun {
  private readonly fold: HistoryFold;
  private readonly live: LiveGenerations;
  private readonly comparison: Comparison;
  private readonly switched = new Set<string>();

  constructor(
    private readonly session: RebuildSession,
    private readonly preparation: Preparation,
    private readonly request: RebuildRequest,
    private readonly purpose: Purpose,
  ) {
    this.fold = new HistoryFold(session, preparation);
    this.live = new LiveGenerations(session, preparation.builds, this.fold);
    this.comparison = new Comparison(session, this.live, this.fold);
  }

  async run(): Promise<RebuildReport> {
    const { preparation, fold, live, comparison, purpose, session } = this;
    const startedAt = performance.now();
    await this.chase();
    const foldSeconds = (performance.now() - startedAt) / 1000;
    const { events } = fold;
    await this.finishTables();
    if (purpose === 'compare') await comparison.compareAll(live.comparable);
    else await this.compareAndSwitch();
    const { heldMs } = live;
    const models: RebuiltModel[] = [];
    for (const build of preparation.builds) {
      const { name } = build.model;
      const found = { compared: comparison.of(name), switched: this.switched.has(name) };
      models.push(await reportOn(session, build, found));
    }
    if (purpose !== 'compare') await this.cleanUp();
    return { models, events, foldSeconds, heldMs };
  }

  /** Folds until the new generations are as far as the live ones, or, without live ones, as far as the log. */
  private async chase(): Promise<void> {
    const { preparation, live, fold, request } = this;
    const alone = preparation.builds.filter((build) => !live.comparable.includes(build));
    for (let round = 1; round <= chasingRounds; round++) {
      const startedAt = performance.now();
      const until = await live.positions(live.comparable);
      const head = alone.length > 0 ? await request.eventStore.head() : undefined;
      if (head !== undefined) for (const { model } of alone) until.set(model.name, head);
      await fold.catchUp(until);
      if (performance.now() - startedAt < closeEnoughMs) return;
    }
  }

  private async finishTables(): Promise<void> {
    const { session, preparation, purpose, fold, request } = this;
    for (const [done, { model, generation }] of preparation.builds.entries()) {
      fold.tell('indexing', done);
      request.signal.throwIfAborted();
      const { environment, control } = session;
      const { rows } = await control.query<{ has_key: boolean }>(
        'select to_regclass($1) is not null as has_key',
        [primaryKeyOf(environment, model, generation)],
      );
      if (!onlyRow({ rows }).has_key) await control.query(addPrimaryKey(environment, model, generation));
      // A generation that is only compared needs no indexes, and one that was live has them.
      const indexes = purpose === 'rebuild' ? createIndexes(environment, model, generation) : [];
      for (const index of indexes) await control.query(index);
      await control.query(autovacuum(environment, model, generation, 'usual'));
      await control.query(analyze(environment, model, generation));
    }
  }

  private async compareAndSwitch(): Promise<void> {
    const { session, preparation, live, comparison, fold, request, purpose } = this;
    for (let attempt = 1; attempt <= fullComparisons; attempt++) {
      // Live rows that stand still are compared only once: after that, the new generations go on to the end of
      // the log.
      const compared = attempt === 1 ? live.comparable : live.following;
      const epochs = purpose === 'rollback' ? undefined : await comparison.compareAll(compared);
      const head = live.standing.length > 0 ? await request.eventStore.head() : undefined;
      if (head !== undefined) {
        await fold.catchUp(new Map(live.standing.map(({ model }) => [model.name, head])));
        await tellTheProjector(session, preparation);
      }
      if (await this.switchWhenClose(epochs)) return;
    }
    throw new RebuildRefused(
      `${session.environment}: other processes took over the live rows again and again during the comparison; make sure that one projector runs undisturbed, then run "atelier projections switch"`,
    );
  }

  /** Returns false if another process may have changed the live rows since they were compared. */
  private async switchWhenClose(epochs: ReadonlyMap<string, bigint> | undefined): Promise<boolean> {
    const { live, session, request } = this;
    const isKeptBusy = (error: unknown) => passing.includes(sqlState(error) ?? '');
    const attempt = async () => {
      this.switched.clear();
      await this.drawClose();
      return live.holding((serving) => this.switchInHold(serving, epochs));
    };
    try {
      return await retry(attempt, {
        signal: request.signal,
        attempts: switchAttempts,
        mayPass: isKeptBusy,
        firstPauseMs: switchRetryMs,
        longestPauseMs: switchRetryMs,
      });
    } catch (error) {
      if (!isKeptBusy(error)) throw error;
      throw new RebuildRefused(
        `${session.environment}: a long-running query keeps the views busy: end it, then run "atelier projections switch"`,
      );
    }
  }

  /**
   * Catches up with the live generations and compares the rows that changed meanwhile, until little work is
   * left.
   */
  private async drawClose(): Promise<void> {
    const { live, fold, comparison } = this;
    for (let round = 1; round <= chasingRounds; round++) {
      const startedAt = performance.now();
      await fold.catchUp(await live.positions(live.following));
      if (comparison.changedRows > rowsComparedInHold) await comparison.compareChanged();
      else if (performance.now() - startedAt < closeEnoughMs) return;
    }
  }

  private async switchInHold(
    serving: ReadonlyMap<string, ServingRow>,
    epochs: ReadonlyMap<string, bigint> | undefined,
  ): Promise<boolean> {
    const { session, preparation, live, comparison, request } = this;
    const { acceptDifferences = false, switchOver = true } = request;
    const isTakenOver = ({ model: { name } }: PreparedBuild) =>
      serving.get(name)?.epoch !== epochs?.get(name);
    if (epochs && live.following.some(isTakenOver)) return false;
    // A generation that stood still may run again by now, and no reader may see less than before.
    const isBehind = ({ model, active }: PreparedBuild) =>
      (serving.get(model.name)?.position ?? -1n) > (active.checkpoint.position ?? -1n);
    if (preparation.builds.some(isBehind)) return false;
    if (epochs) await comparison.compareChangedOn(session.control);
    const chosen = preparation.builds.filter(
      ({ model }) => switchOver && (acceptDifferences || !comparison.differs(model.name)),
    );
    if (chosen.length === 0) return true;
    const successors = chosen.map(({ model, generation, active }) => ({
      model,
      generation,
      position: active.checkpoint.position,
    }));
    await switchTo(session.control, session.environment, successors);
    for (const { model } of chosen) this.switched.add(model.name);
    return true;
  }

  private async cleanUp(): Promise<void> {
    const { session, preparation, comparison } = this;
    for (const { model, active } of preparation.builds) {
      if (this.switched.has(model.name)) await retireOlder(session, model.name);
      else {
        const state = comparison.differs(model.name) ? 'differing' : 'complete';
        await markComplete(session.control, session.environment, active.checkpoint, state);
      }
    }
    await forgetRevisions(session, preparation);
  }
}

/** Keeps the previously live generation, so that a rollback can use it, and drops older ones. */
async function retireOlder({ control, environment }: RebuildSession, name: string): Promise<void> {
  const generations = (await loadGenerations(control, environment)).get(name) ?? [];
  const { rows } = await control.query<{ generation: number }>(
    `select generation from read_store.projections
      where environment = $1 and name = $2 and state = 'retired' order by updated_at desc, generation desc`,
    [environment, name],
  );
  const [kept] = rows.filter(({ generation }) =>
    generations.some((each) => each.generation === generation && each.hasTable),
  );
  for (const each of generations)
    if (each.state === 'retired' && each.generation !== kept?.generation)
      await dropGeneration(control, environment, each);
}

/**
 * Gives the projector the revision that each stream has reached. The projector goes on from the position of the
 * rebuilt generations, which is beyond its own. Without this, it would take the events in between for skipped
 * ones.
 */
async function tellTheProjector({ control }: RebuildSession, { consumer }: Preparation): Promise<void> {
  if (consumer === undefined) return;
  await control.query(
    `insert into read_store.stream_revisions as known (consumer, stream, revision)
      select 'projections', stream, revision from read_store.stream_revisions where consumer = $1 order by stream
      on conflict (consumer, stream) do update set revision = greatest(known.revision, excluded.revision)`,
    [consumer],
  );
}

/** The revisions that streams had reached are kept only to continue after a crash. */
async function forgetRevisions({ control }: RebuildSession, { consumer }: Preparation): Promise<void> {
  if (consumer === undefined) return;
  await control.query('delete from read_store.stream_revisions where consumer = $1', [consumer]);
}

/** Removes the generations that were made only for the comparison. */
async function removeCompared(session: RebuildSession, preparation: Preparation): Promise<void> {
  for (const { active } of preparation.builds)
    await dropGeneration(session.control, session.environment, active.checkpoint);
  await forgetRevisions(session, preparation);
}

async function reportOn(
  { control, environment }: RebuildSession,
  { model, generation, serving, resumedAfter, active }: PreparedBuild,
  found: Pick<RebuiltModel, 'compared' | 'switched'>,
): Promise<RebuiltModel> {
  const { name, version } = model;
  const counted = await control.query<{ rows: number }>(
    `select count(*)::integer as rows from ${environment}.${name}_g${generation}`,
  );
  const { rows } = onlyRow(counted);
  return {
    name,
    generation,
    version,
    resumedAfter,
    position: active.checkpoint.position,
    rows,
    liveVersion: serving?.version ?? null,
    liveGeneration: serving?.generation ?? null,
    parkedStreams: active.parkedStreams.size,
    ...found,
  };
}

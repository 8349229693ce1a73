import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from '../consumer-errors.js';
import type { Key } from '../read-model.js';
import { compareRows, type RowDifferences } from './compare-rows.js';
import { createIndexes } from './generation-schema.js';
import { markComplete } from './generations.js';
import { HistoryFold } from './history-fold.js';
import { prepareBuilds, type Preparation, type PreparedBuild, type Purpose } from './prepare-builds.js';
import { RebuildRefused } from './rebuild-refused.js';
import { forgetRevisions, removeCompared, retireOlder, tellTheProjector } from './finish-rebuild.js';
import { RebuildSession, transact, type RebuildOptions } from './rebuild-session.js';
import { holdServing, switchTo, type ServingRow } from './switch-generation.js';

export interface RebuildRequest extends RebuildOptions {
  /** Whether a generation that differs from what is live may take its place. */
  readonly acceptDifferences?: boolean;
  /** False: it is built and compared, and then waits for a `switch`. Default true. */
  readonly switchOver?: boolean;
}

export interface RebuiltModel {
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  /** Of the fold whose rows were live at the start; null: there were none to compare with. */
  readonly liveVersion: number | null;
  readonly liveGeneration: number | null;
  /** Where an earlier run had left it. */
  readonly resumedAfter: bigint | null;
  /** Null: the history has nothing for any read model. */
  readonly position: bigint | null;
  readonly rows: number;
  readonly parkedStreams: number;
  readonly compared: RowDifferences | undefined;
  readonly switched: boolean;
}

export interface RebuildReport {
  readonly models: readonly RebuiltModel[];
  /** Read from the log, once for all read models, and how long folding them took. */
  readonly events: number;
  readonly foldSeconds: number;
  /** How long the projector was kept from committing at the switch. */
  readonly heldMs: number;
}

/** Positions of the live generations move on while history is folded; they are chased until the rest is this short. */
const closeEnoughMs = 300;
/** On a machine that is too busy for that, it has to be close enough after so many rounds. */
const chasingRounds = 10;
/** Rows that may be left to be compared while the projector is kept waiting. */
const rowsComparedInHold = 500;
const fullComparisons = 5;
const switchAttempts = 40;
const switchRetryMs = 250;

/**
 * Fills new generations from the whole history, compares each with the live one and lets it take its place.
 *
 * Compared is at one and the same position. The checkpoints of the live generations are held for as long as the new
 * ones need to arrive there too (milliseconds, for they were close before), a snapshot is taken, and they are let go:
 * in the snapshot both have seen the same events, and it may be compared for as long as it takes. What changed since
 * then is compared by its keys, in further snapshots until little is left; the last of it while the checkpoints are
 * held for the switch.
 *
 * A live generation that stands still (`halted`) is compared where it stands; what came later is folded after that. One
 * without a table has nothing to compare with.
 * @throws RebuildRefused, SkippedEvent, the reason of the signal
 */
export async function rebuild(request: RebuildRequest): Promise<RebuildReport> {
  return run(request, 'rebuild');
}

/** Proves that the live rows are what the history folds into, or shows where not. Leaves nothing behind. */
export async function compare(request: RebuildOptions): Promise<RebuildReport> {
  return run(request, 'compare');
}

/** Compares what was built before with what is live, and lets it take its place. */
export async function switchOver(request: RebuildRequest): Promise<RebuildReport> {
  return run(request, 'switch');
}

/** Lets the generation that was live before take its place again, once it has caught up. Nothing is compared. */
export async function rollback(request: RebuildOptions): Promise<RebuildReport> {
  return run(request, 'rollback');
}

async function run(request: RebuildRequest, purpose: Purpose): Promise<RebuildReport> {
  await using session = await RebuildSession.open(request);
  const preparation = await prepareBuilds(session, purpose);
  try {
    return await new Rebuild(session, preparation, request, purpose).run();
  } finally {
    // Whatever became of it, and for what does not work any more the next one does it.
    if (purpose === 'compare') await removeCompared(session, preparation).catch(() => undefined);
  }
}

class Rebuild {
  private readonly fold: HistoryFold;
  private readonly differences = new Map<string, RowDifferences>();
  private readonly switched = new Set<string>();
  private from = 0n;
  private through = 0n;
  /** Folded before the phase at hand began. */
  private eventsBefore = 0;
  private heldMs = 0;

  constructor(
    private readonly session: RebuildSession,
    private readonly preparation: Preparation,
    private readonly request: RebuildRequest,
    private readonly purpose: Purpose,
  ) {
    const { writer, loader, environment } = session;
    const { builds, continuity, consumer } = preparation;
    const { eventStore, signal } = request;
    this.fold = new HistoryFold({
      ...{ writer, loader, environment, eventStore, signal, builds, continuity },
      keepRevisions: consumer !== undefined,
      onBatch: (position) => this.folding(position),
    });
  }

  async run(): Promise<RebuildReport> {
    const { builds } = this.preparation;
    const startedAt = performance.now();
    await this.chase();
    const foldSeconds = (performance.now() - startedAt) / 1000;
    const { events } = this.fold;
    await this.finishTables();
    if (this.purpose === 'compare') await this.compareAll();
    else await this.compareAndSwitch();
    const models: RebuiltModel[] = [];
    for (const build of builds) models.push(await this.describe(build));
    await this.cleanUp();
    return { models, events, foldSeconds, heldMs: this.heldMs };
  }

  /** Those that have live rows to compare with. A rollback compares nothing, but has to arrive where they are. */
  private get comparable(): readonly PreparedBuild[] {
    return this.preparation.builds.filter(({ serving }) => serving?.hasTable && serving.position !== null);
  }

  private get following(): readonly PreparedBuild[] {
    return this.comparable.filter(({ serving }) => serving?.state === 'live');
  }

  private get compares(): boolean {
    return this.purpose !== 'rollback';
  }

  /** Folds until the new generations are as far as the live ones, or as the log where there are none. */
  private async chase(): Promise<void> {
    const { builds } = this.preparation;
    const alone = builds.filter((build) => !this.comparable.includes(build));
    for (let round = 1; round <= chasingRounds; round++) {
      const startedAt = performance.now();
      const until = await this.livePositions(this.comparable);
      const head = alone.length > 0 ? await this.request.eventStore.head() : undefined;
      if (head !== undefined) for (const { model } of alone) until.set(model.name, head);
      await this.foldTo(until);
      if (performance.now() - startedAt < closeEnoughMs) return;
    }
  }

  private async livePositions(builds: readonly PreparedBuild[]): Promise<Map<string, bigint>> {
    const { control, environment } = this.session;
    const { rows } = await control.query<ServingRow>(
      `select name, generation, position, epoch from read_store.projections
        where environment = $1 and state in ('live', 'halted')`,
      [environment],
    );
    return positionsOf(builds, new Map(rows.map((row) => [row.name, row])));
  }

  private async foldTo(until: ReadonlyMap<string, bigint>): Promise<void> {
    const positions = this.preparation.builds.map(({ active }) => active.checkpoint.position ?? 0n);
    this.from = positions.reduce((a, b) => (a < b ? a : b));
    this.through = [...until.values()].reduce((a, b) => (a > b ? a : b), this.from);
    await this.fold.catchUp(until);
  }

  private async finishTables(): Promise<void> {
    const { control, environment } = this.session;
    for (const [done, { model, generation }] of this.preparation.builds.entries()) {
      this.stage('indexing', done);
      this.request.signal.throwIfAborted();
      // What is compared and dropped needs none, and a generation that was live has them.
      const indexes = this.purpose === 'rebuild' ? createIndexes(environment, model, generation) : [];
      for (const index of indexes) await control.query(index);
      await control.query(`analyze ${environment}.${model.name}_g${generation}`);
    }
  }

  private async compareAndSwitch(): Promise<void> {
    for (let attempt = 1; attempt <= fullComparisons; attempt++) {
      const epochs = this.compares ? await this.compareAll() : undefined;
      // The rest of the history, for those whose live generation stands still.
      const standing = this.preparation.builds.filter((build) => !this.following.includes(build));
      const head = standing.length > 0 ? await this.request.eventStore.head() : undefined;
      if (head !== undefined) {
        await this.foldTo(new Map(standing.map(({ model }) => [model.name, head])));
        await tellTheProjector(this.session, this.preparation);
      }
      if (await this.switchWhenClose(epochs)) return;
    }
    throw new RebuildRefused(
      `${this.session.environment}: the live rows were taken over by somebody again and again while they were compared; see that one projector runs undisturbed, then run "atelier projections switch"`,
    );
  }

  /** False: the live rows may have been changed by somebody else since they were compared. */
  private async switchWhenClose(epochs: ReadonlyMap<string, bigint> | undefined): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      await this.drawClose();
      try {
        return await this.holding((serving) => this.switchInHold(serving, epochs));
      } catch (error) {
        // 55P03: a reader keeps the view for longer than the others should have to wait behind us.
        if (sqlState(error) !== '55P03') throw error;
        if (attempt === switchAttempts)
          throw new RebuildRefused(
            `${this.session.environment}: a query that runs for long keeps the views busy: end it, then run "atelier projections switch"`,
          );
        await sleep(switchRetryMs, undefined, { signal: this.request.signal });
      }
    }
  }

  /** Folds after the live generations, and compares what changed in between, until little is left to do at once. */
  private async drawClose(): Promise<void> {
    for (let round = 1; round <= chasingRounds; round++) {
      const startedAt = performance.now();
      await this.foldTo(await this.livePositions(this.following));
      if (this.touchedRows() > rowsComparedInHold) {
        await this.snapshot();
        await this.compareTouched(this.session.reader);
        await this.session.reader.query('commit');
      } else if (performance.now() - startedAt < closeEnoughMs) return;
    }
  }

  private async switchInHold(
    serving: ReadonlyMap<string, ServingRow>,
    epochs: ReadonlyMap<string, bigint> | undefined,
  ): Promise<boolean> {
    const { control, environment } = this.session;
    const { acceptDifferences = false, switchOver: wanted = true } = this.request;
    if (
      epochs &&
      this.following.some(({ model }) => serving.get(model.name)?.epoch !== epochs.get(model.name))
    )
      return false;
    // One that stood still may have been taken up again meanwhile: nobody is to be shown less than before.
    const isAhead = ({ model, active }: PreparedBuild) =>
      (serving.get(model.name)?.position ?? -1n) > (active.checkpoint.position ?? -1n);
    if (this.preparation.builds.some(isAhead)) return false;
    if (this.compares) await this.compareTouched(control);
    const chosen = this.preparation.builds.filter(
      ({ model }) => acceptDifferences || !this.differs(model.name),
    );
    if (!wanted || chosen.length === 0) return true;
    await switchTo(
      control,
      environment,
      chosen.map(({ model, generation, active }) => ({
        model,
        generation,
        position: active.checkpoint.position,
      })),
    );
    for (const { model } of chosen) this.switched.add(model.name);
    return true;
  }

  /** All rows, in a snapshot in which both generations are at one position. @returns the epochs of the live ones */
  private async compareAll(): Promise<Map<string, bigint>> {
    const { reader } = this.session;
    this.differences.clear();
    const serving = await this.snapshot();
    for (const [done, build] of this.comparable.entries()) {
      this.stage('comparing', done);
      this.request.signal.throwIfAborted();
      this.differences.set(build.model.name, await this.compareRows(reader, build));
    }
    await reader.query('commit');
    return new Map([...serving].map(([name, { epoch }]) => [name, epoch]));
  }

  private async compareTouched(client: pg.Client): Promise<void> {
    for (const build of this.following) {
      const { touched, model } = build;
      if (!touched || touched.size === 0) continue;
      const found = await this.compareRows(client, build, [...touched.values()]);
      this.differences.set(model.name, sum(this.differences.get(model.name), found));
      touched.clear();
    }
  }

  private compareRows(
    client: pg.Client,
    build: PreparedBuild,
    keys?: readonly Key[],
  ): Promise<RowDifferences> {
    const { model, generation: rebuilt, serving } = build;
    const { environment } = this.session;
    return compareRows(client, { environment, model, live: serving!.generation, rebuilt }, keys);
  }

  /** Begins a transaction on `reader` that sees both generations at one position, and what is touched from then on. */
  private async snapshot(): Promise<Map<string, ServingRow>> {
    const { reader } = this.session;
    await reader.query('begin isolation level repeatable read read only');
    return this.holding(async (serving) => {
      await reader.query('select 1');
      for (const build of this.following) build.touched ??= new Map();
      return serving;
    });
  }

  /** Does the work while the live generations stand still and the new ones are where they are. */
  private async holding<T>(work: (serving: Map<string, ServingRow>) => Promise<T>): Promise<T> {
    const { control, environment } = this.session;
    const startedAt = performance.now();
    try {
      return await transact(control, 'begin', async () => {
        const serving = await holdServing(control, environment);
        await this.fold.catchUp(positionsOf(this.following, serving));
        return work(serving);
      });
    } finally {
      this.heldMs = performance.now() - startedAt;
    }
  }

  private touchedRows(): number {
    return this.following.reduce((rows, { touched }) => rows + (touched?.size ?? 0), 0);
  }

  private differs(name: string): boolean {
    const found = this.differences.get(name);
    return found !== undefined && found.missing + found.extra + found.changed > 0;
  }

  private async describe(build: PreparedBuild): Promise<RebuiltModel> {
    const { model, generation, serving, resumedAfter, active } = build;
    const { name, version } = model;
    const { rows } = await this.session.control.query<{ rows: number }>(
      `select count(*)::integer as rows from ${this.session.environment}.${name}_g${generation}`,
    );
    return {
      ...{
        name,
        generation,
        version,
        resumedAfter,
        position: active.checkpoint.position,
        rows: rows[0]!.rows,
      },
      liveVersion: serving?.version ?? null,
      liveGeneration: serving?.generation ?? null,
      parkedStreams: active.parkedStreams.size,
      compared: this.differences.get(name),
      switched: this.switched.has(name),
    };
  }

  private async cleanUp(): Promise<void> {
    const { control, environment } = this.session;
    if (this.purpose === 'compare') return;
    for (const build of this.preparation.builds) {
      const { name } = build.model;
      if (this.switched.has(name)) await retireOlder(this.session, name);
      else {
        const because = this.differs(name)
          ? 'its rows differ from the live ones'
          : 'complete, waits for a switch';
        await markComplete(control, environment, build.active.checkpoint, because);
      }
    }
    await forgetRevisions(this.session, this.preparation);
  }

  private folding(position: bigint): void {
    const { from, through } = this;
    const events = this.fold.events - this.eventsBefore;
    this.request.onProgress?.({
      phase: `${this.session.environment}: folding`,
      position,
      from,
      through,
      events,
    });
  }

  /** A phase that is counted in read models. */
  private stage(phase: string, done: number): void {
    const { onProgress } = this.request;
    this.eventsBefore = this.fold.events;
    const through = BigInt(this.preparation.builds.length);
    onProgress?.({
      phase: `${this.session.environment}: ${phase}`,
      position: BigInt(done),
      from: 0n,
      through,
    });
  }
}

function positionsOf(
  builds: readonly PreparedBuild[],
  serving: ReadonlyMap<string, ServingRow>,
): Map<string, bigint> {
  const positions = builds.map(({ model }) => [model.name, serving.get(model.name)?.position] as const);
  return new Map(
    positions.filter((entry): entry is readonly [string, bigint] => typeof entry[1] === 'bigint'),
  );
}

function sum(a: RowDifferences | undefined, b: RowDifferences): RowDifferences {
  if (!a) return b;
  return {
    rows: a.rows + b.rows,
    missing: a.missing + b.missing,
    extra: a.extra + b.extra,
    changed: a.changed + b.changed,
    first: [...a.first, ...b.first].slice(0, 10),
  };
}

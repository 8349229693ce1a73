import { createHash } from 'node:crypto';
import type { Environment } from '#domain/streams.js';
import { onlyRow, sqlState } from '#platform/postgres.js';
import { retry } from '#platform/retry.js';
import { transact } from '#read-store/commit-queue.js';
import { misfitOf } from '#read-store/log-fit.js';
import { loadParkedStreams } from '#read-store/parked-events.js';
import type { GenerationState } from '#read-store/projection-checkpoints.js';
import { ProjectionTable } from '#read-store/projection-table.js';
import { addPrimaryKey, autovacuum, createTable } from '#read-store/entity-table.js';
import type { ReadModel } from '#read-store/read-model.js';
import { StreamContinuity } from '#read-store/stream-continuity.js';
import { GenerationRows, type Build } from './build.js';
import {
  addGeneration,
  dropGeneration,
  loadGenerations,
  servingOf,
  takeOverGeneration,
  type Generation,
  type GenerationId,
} from './generations.js';
import { RebuildRefused, type RebuildSession } from './rebuild-session.js';

/**
 * - `rebuild`: goes on with what an earlier run left half-way, or begins anew.
 * - `compare`: proves that the live rows equal the fold of the history, or shows where they differ. It always begins
 *   anew, and leaves nothing behind.
 * - `switch`: goes on with what was built before, whether or not it differed. Compares it with the live generations, and
 *   puts it in the place of those.
 * - `rollback`: goes on with the generation that was retired last, and compares no rows.
 */
export type Purpose = 'rebuild' | 'compare' | 'switch' | 'rollback';

export interface PreparedBuild extends Build {
  readonly model: ReadModel<object>;
  readonly generation: number;
  /** The generation that readers saw at the start. */
  readonly serving: Generation | undefined;
  /** The position up to which an earlier run had folded it, or up to which it was live before. */
  readonly resumedAfter: bigint | null;
}

export interface Preparation {
  readonly builds: readonly PreparedBuild[];
  readonly continuity: StreamContinuity;
  /** The name that `continuity` keeps revisions under; undefined: it uses those of the projector. */
  readonly consumer: string | undefined;
}

const projector = 'projections';

/** Chooses or makes the generations to be filled. @throws RebuildRefused */
export async function prepareBuilds(
  session: RebuildSession,
  purpose: Purpose,
  acceptDifferences: boolean,
): Promise<Preparation> {
  const { environment, control, options } = session;
  const { readModels } = options;
  const known = await loadGenerations(control, environment);
  const of = (model: ReadModel<object>) => known.get(model.name) ?? [];
  if (purpose === 'switch' || purpose === 'rollback') {
    const chosen = readModels.map((model) => existing(environment, model, of(model), purpose));
    if (purpose === 'switch' && !acceptDifferences)
      for (const each of chosen) requireEqual(environment, each, servingOf(known.get(each.name)));
    const builds = await takeUp(session, readModels, chosen, known);
    return { builds, continuity: new StreamContinuity(projector), consumer: undefined };
  }
  const consumer = consumerOf(purpose, environment, readModels);
  let chosen = purpose === 'rebuild' ? resumable(readModels, of) : undefined;
  if (!chosen) {
    await control.query('delete from read_store.stream_revisions where consumer = $1', [consumer]);
    chosen = await beginAnew(session, purpose, known);
  }
  const builds = await takeUp(session, readModels, chosen, known);
  return { builds, continuity: new StreamContinuity(consumer), consumer };
}

/** The unfinished generations of an earlier run, if it left all of these read models at one position. */
function resumable(
  models: readonly ReadModel<object>[],
  generationsOf: (model: ReadModel<object>) => readonly Generation[],
): readonly GenerationId[] | undefined {
  const left = models
    .map((model) => halfBuilt(model, generationsOf(model)))
    .filter((each) => each !== undefined);
  const [first] = left;
  const isTogether = first?.position !== null && left.every(({ position }) => position === first?.position);
  return left.length === models.length && isTogether ? left : undefined;
}

/** One name for each set of read models that are built together: the revisions hold only for the whole set. */
function consumerOf(
  purpose: Purpose,
  environment: Environment,
  models: readonly ReadModel<object>[],
): string {
  const names = models.map(({ name }) => name).sort();
  return `${purpose}.${environment}.${createHash('sha256').update(names.join()).digest('hex').slice(0, 12)}`;
}

function halfBuilt(
  { version }: ReadModel<object>,
  generations: readonly Generation[],
): Generation | undefined {
  return generations.findLast(
    (each) =>
      each.state === 'building' &&
      !isBeyond(each, servingOf(generations)) &&
      each.hasTable &&
      each.version === version,
  );
}

/** A generation that went beyond halted live rows cannot be compared any more, so its earlier result counts. */
function requireEqual(environment: Environment, built: Generation, serving: Generation | undefined): void {
  if (built.state !== 'differing' || !isBeyond(built, serving)) return;
  throw new RebuildRefused(
    `generation ${built.generation} of ${environment}.${built.name} was found to differ from the live rows: use --accept-differences to switch to it anyway`,
  );
}

function isBeyond({ position }: Generation, serving: Generation | undefined): boolean {
  return serving?.state === 'halted' && (position ?? -1n) > (serving.position ?? -1n);
}

function existing(
  environment: Environment,
  { name, version }: ReadModel<object>,
  generations: readonly Generation[],
  purpose: 'switch' | 'rollback',
): Generation {
  const fitting: readonly GenerationState[] =
    purpose === 'switch' ? ['building', 'complete', 'differing'] : ['retired'];
  const found = generations.findLast(({ state, hasTable }) => fitting.includes(state) && hasTable);
  if (!found) {
    const advice =
      purpose === 'switch' ? 'rebuild it first' : 'a rebuild keeps the generation that it replaces';
    throw new RebuildRefused(
      `${environment}.${name} has no generation to ${purpose === 'switch' ? 'switch' : 'go back'} to: ${advice}`,
    );
  }
  if (found.version === version) return found;
  throw new RebuildRefused(
    `generation ${found.generation} of ${environment}.${name} was made by version ${found.version} of its fold, but this release folds version ${version}: use the release that made it, or rebuild`,
  );
}

async function beginAnew(
  session: RebuildSession,
  purpose: 'rebuild' | 'compare',
  known: ReadonlyMap<string, readonly Generation[]>,
): Promise<GenerationId[]> {
  const { environment, control, options } = session;
  const chosen: GenerationId[] = [];
  for (const model of options.readModels) {
    const generations = known.get(model.name) ?? [];
    const useless = generations.filter(
      ({ state }) =>
        state === 'comparing' ||
        (purpose === 'rebuild' && ['building', 'complete', 'differing'].includes(state)),
    );
    for (const each of useless) await dropGeneration(control, environment, each);
    const last = await lastTable(session, model);
    const state = purpose === 'compare' ? 'comparing' : 'building';
    const add = async () => {
      const generation = await addGeneration(control, environment, model, last, state);
      await control.query(createTable(environment, model, generation));
      await control.query(autovacuum(environment, model, generation, 'off'));
      // Tables without look-ups during the fold get their primary key at the end, which is faster.
      if (!model.rowPerEvent || model.rowsChangedBy)
        await control.query(addPrimaryKey(environment, model, generation));
      return generation;
    };
    // A projector may take the number at the same moment; then the next number is free.
    const isTaken = (error: unknown) => sqlState(error) === '23505';
    const generation = await retry(() => transact(control, add), { attempts: 3, mayPass: isTaken });
    chosen.push({ name: model.name, generation });
  }
  return chosen;
}

/** If an operator has removed only checkpoints, tables may exist that no checkpoint knows. */
async function lastTable(
  { control, environment }: RebuildSession,
  { name }: ReadModel<object>,
): Promise<number> {
  const found = await control.query<{ last: number }>(
    `select coalesce(max(substring(c.relname from '_g([0-9]+)$')::integer), 0) as last
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind = 'r' and c.relname ~ ('^' || $2 || '_g[0-9]+$')`,
    [environment, name],
  );
  return onlyRow(found).last;
}

async function takeUp(
  { control, environment, options }: RebuildSession,
  models: readonly ReadModel<object>[],
  chosen: readonly GenerationId[],
  known: ReadonlyMap<string, readonly Generation[]>,
): Promise<PreparedBuild[]> {
  const parked = await loadParkedStreams(control, environment);
  const builds: PreparedBuild[] = [];
  for (const generationId of chosen) {
    const checkpoint = await takeOverGeneration(control, environment, generationId);
    const { generation, position, anchor } = checkpoint;
    const misfit = anchor && (await misfitOf(options.eventStore, anchor));
    if (misfit !== undefined)
      throw new RebuildRefused(`generation ${generation} of ${environment}.${checkpoint.name} was ${misfit}`);
    const model = models.find(({ name }) => name === checkpoint.name);
    if (!model) throw new Error(`no read model is called ${checkpoint.name}`);
    const table = new ProjectionTable(environment, model, generation);
    const parkedStreams = parked.get(`${model.name}/${generation}`) ?? new Set<string>();
    builds.push({
      model,
      generation,
      serving: servingOf(known.get(model.name)),
      resumedAfter: position,
      active: { model, table, checkpoint, parkedStreams },
      rows: new GenerationRows(table, model.rowPerEvent ?? false, position === null),
      touched: undefined,
    });
  }
  return builds;
}

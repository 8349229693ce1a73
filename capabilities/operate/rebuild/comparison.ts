import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { binaryArray } from '#platform/binary-array.js';
import { onlyRow } from '#platform/postgres.js';
import { columnsOf, type EntityColumn } from '#read-store/entity-table.js';
import { transact } from '#read-store/commit-queue.js';
import type { PrimaryKey, ReadModel } from '#read-store/read-model.js';
import { readServing, type ServingRow } from './generations.js';
import type { HistoryFold } from './history-fold.js';
import type { PreparedBuild } from './prepare-builds.js';
import type { RebuildSession } from './rebuild-session.js';

/** The generations that readers see. The new generations are compared with them. */
export class LiveGenerations {
  /** How long the projector was last kept from committing. */
  heldMs = 0;

  constructor(
    private readonly session: RebuildSession,
    private readonly builds: readonly PreparedBuild[],
    private readonly fold: HistoryFold,
  ) {}

  /** The builds that have live rows to be compared with. */
  get comparable(): readonly PreparedBuild[] {
    return this.builds.filter(({ serving, resumedAfter }) => {
      if (!serving?.hasTable || serving.position === null) return false;
      // A build that began beyond the position of a halted generation was compared before it went on.
      return serving.state === 'live' || (resumedAfter ?? -1n) <= serving.position;
    });
  }

  /** The comparable builds whose live rows a projector updates, or would update if one ran. */
  get following(): readonly PreparedBuild[] {
    return this.comparable.filter(({ serving }) => serving?.state === 'live');
  }

  /** The builds that are folded up to the end of the log, independently of the live generations. */
  get standing(): readonly PreparedBuild[] {
    return this.builds.filter((build) => !this.following.includes(build));
  }

  async positions(builds: readonly PreparedBuild[]): Promise<Map<string, bigint>> {
    return positionsOf(builds, await readServing(this.session.control, this.session.environment));
  }

  /**
   * Does the work while the checkpoints of the live generations are held and the new generations stand at the
   * same positions.
   */
  async holding<T>(work: (serving: ReadonlyMap<string, ServingRow>) => Promise<T>): Promise<T> {
    const { control, environment } = this.session;
    const startedAt = performance.now();
    try {
      return await transact(control, async () => {
        const serving = await readServing(control, environment, 'for update');
        await this.fold.catchUp(positionsOf(this.following, serving));
        return work(serving);
      });
    } finally {
      this.heldMs = performance.now() - startedAt;
    }
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

/** The differences found so far between the new generations and the live ones. */
export class Comparison {
  private readonly found = new Map<string, RowDifferences>();

  constructor(
    private readonly session: RebuildSession,
    private readonly live: LiveGenerations,
    private readonly fold: HistoryFold,
  ) {}

  of(name: string): RowDifferences | undefined {
    return this.found.get(name);
  }

  differs(name: string): boolean {
    const found = this.found.get(name);
    return found !== undefined && found.missing + found.extra + found.changed > 0;
  }

  /** Rows that changed since they were compared. */
  get changedRows(): number {
    return this.live.following.reduce((rows, { touched }) => rows + (touched?.size ?? 0), 0);
  }

  /**
   * Compares all rows of these builds, in a snapshot in which both generations are at one position.
   * @returns the epochs of the live generations
   */
  async compareAll(builds: readonly PreparedBuild[]): Promise<Map<string, bigint>> {
    const serving = await this.inSnapshot(async (serving) => {
      for (const [done, build] of builds.entries()) {
        this.fold.tell('comparing', done);
        this.session.options.signal.throwIfAborted();
        this.found.set(build.model.name, await this.compare(this.session.reader, build));
      }
      return serving;
    });
    return new Map([...serving].map(([name, { epoch }]) => [name, epoch]));
  }

  /** Compares the rows that changed since then, in another snapshot. */
  async compareChanged(): Promise<void> {
    await this.inSnapshot(() => this.compareChangedOn(this.session.reader));
  }

  /** Does the same on a connection whose snapshot already has both generations at one position. */
  async compareChangedOn(client: pg.Client): Promise<void> {
    for (const build of this.live.following) {
      const { touched, model } = build;
      if (!touched || touched.size === 0) continue;
      const found = await this.compare(client, build, [...touched.values()]);
      this.found.set(model.name, sum(this.found.get(model.name), found));
      touched.clear();
    }
  }

  /**
   * Runs the work while `reader` sees both generations at one position. Keys that change from then on are
   * recorded.
   */
  private async inSnapshot<T>(work: (serving: ReadonlyMap<string, ServingRow>) => Promise<T>): Promise<T> {
    const { reader } = this.session;
    await reader.query('begin isolation level repeatable read read only');
    try {
      const serving = await this.live.holding(async (held) => {
        // The first statement takes the snapshot.
        await reader.query('select 1');
        for (const build of this.live.following) build.touched ??= new Map();
        return held;
      });
      return await work(serving);
    } finally {
      await reader.query('rollback').catch(() => undefined);
    }
  }

  private compare(
    client: pg.Client,
    build: PreparedBuild,
    keys?: readonly PrimaryKey[],
  ): Promise<RowDifferences> {
    const { model, generation: rebuilt, serving } = build;
    const { environment } = this.session;
    if (!serving) throw new Error(`there is no ${environment}.${model.name} to compare with`);
    return compareRows(client, { environment, model, live: serving.generation, rebuilt }, keys);
  }
}

function sum(a: RowDifferences | undefined, b: RowDifferences): RowDifferences {
  if (!a) return b;
  return {
    rows: a.rows + b.rows,
    missing: a.missing + b.missing,
    extra: a.extra + b.extra,
    changed: a.changed + b.changed,
    first: [...a.first, ...b.first].slice(0, shownRows),
  };
}

/** One row that the two generations do not agree on. */
export interface DifferingRow {
  readonly key: Readonly<Record<string, unknown>>;
  /** `missing`: the live generation lacks it. `extra`: only the live one has it. */
  readonly kind: 'missing' | 'extra' | 'changed';
  /** What differs, by column: the live value first. Empty unless `changed`. */
  readonly columns: readonly { readonly column: string; readonly live: unknown; readonly rebuilt: unknown }[];
}

export interface RowDifferences {
  /** Rows looked at, each key once. */
  readonly rows: number;
  readonly missing: number;
  readonly extra: number;
  readonly changed: number;
  readonly first: readonly DifferingRow[];
}

export interface ComparedGenerations {
  readonly environment: Environment;
  readonly model: ReadModel<object>;
  readonly live: number;
  readonly rebuilt: number;
}

/** The number of differing rows that are shown. */
export const shownRows = 10;

/**
 * Compares two generations row by row and column by column, in the columns that both have, as the current
 * transaction sees them. With `keys`, it compares only those rows.
 */
export async function compareRows(
  client: pg.ClientBase,
  compared: ComparedGenerations,
  keys?: readonly PrimaryKey[],
): Promise<RowDifferences> {
  const columns = await commonColumns(client, compared);
  const primary = columns.filter((column) => column.primary);
  const values =
    keys &&
    primary.map(({ type }, index) =>
      binaryArray(
        type,
        keys.map((key) => key[index]),
      ),
    );
  const names = primary.map(({ column }) => column).join(', ');
  const chosen = keys
    ? `where (${names}) in (select * from unnest(${primary.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')}))`
    : '';
  const { environment, model, live, rebuilt } = compared;
  const from = (generation: number) =>
    `(select * from ${environment}.${model.name}_g${generation} ${chosen})`;
  const both = `${from(live)} l full join ${from(rebuilt)} n using (${names})`;
  const record = (side: string) => `row(${columns.map(({ column }) => `${side}.${column}`).join(', ')})`;
  // Part of a primary key is null only if that side of the join has no row.
  const isExtra = `n.${primary[0]?.column} is null`;
  const isMissing = `l.${primary[0]?.column} is null`;
  const differs = `${record('l')} is distinct from ${record('n')}`;
  const counted = await client.query<Record<'rows' | 'missing' | 'extra' | 'changed', number>>(
    `select count(*)::integer as rows, count(*) filter (where ${isMissing})::integer as missing,
        count(*) filter (where ${isExtra})::integer as extra,
        count(*) filter (where ${differs} and not ${isMissing} and not ${isExtra})::integer as changed
      from ${both}`,
    values,
  );
  const counts = onlyRow(counted);
  if (counts.missing + counts.extra + counts.changed === 0) return { ...counts, first: [] };
  const { rows } = await client.query<{ live: Shown; rebuilt: Shown }>(
    `select to_jsonb(l) as live, to_jsonb(n) as rebuilt from ${both} where ${differs} order by ${names} limit ${shownRows}`,
    values,
  );
  return { ...counts, first: rows.map(({ live: l, rebuilt: n }) => difference(columns, l, n)) };
}

type Shown = Readonly<Record<string, unknown>> | null;

/** `to_jsonb` of the missing side of a join is null. */
function difference(columns: readonly EntityColumn[], live: Shown, rebuilt: Shown): DifferingRow {
  const primary = columns.filter((column) => column.primary);
  const key = Object.fromEntries(primary.map(({ column }) => [column, (live ?? rebuilt)?.[column]]));
  if (!live || !rebuilt) return { key, kind: live ? 'extra' : 'missing', columns: [] };
  const differing = columns
    .filter(({ column }) => JSON.stringify(live[column]) !== JSON.stringify(rebuilt[column]))
    .map(({ column }) => ({ column, live: live[column], rebuilt: rebuilt[column] }));
  return { key, kind: 'changed', columns: differing };
}

/** A generation of an older version may lack columns, or have columns that the code no longer knows. */
async function commonColumns(
  client: pg.ClientBase,
  { environment, model, live }: ComparedGenerations,
): Promise<EntityColumn[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [`${environment}.${model.name}_g${live}`],
  );
  const there = new Set(rows.map(({ name }) => name));
  return columnsOf(model.entity).filter(({ column }) => there.has(column));
}

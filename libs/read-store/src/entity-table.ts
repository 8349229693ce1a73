import { hash } from 'node:crypto';
import type pg from 'pg';
import { DefaultNamingStrategy, getMetadataArgsStorage } from 'typeorm';
import type { Environment } from '#domain/streams.js';
import type { EntityClass, ReadModel } from './read-model.js';

export interface EntityColumn {
  /** The entity's property. */
  readonly property: string;
  /** The database column. */
  readonly column: string;
  /** The PostgreSQL type, for example `timestamptz`. */
  readonly type: string;
  readonly primary: boolean;
  readonly nullable: boolean;
}

/** The columns of an entity, read from its decorators. Needs no connection, unlike TypeORM's own metadata. */
export function columnsOf(entity: EntityClass): readonly EntityColumn[] {
  const columns = getMetadataArgsStorage()
    .columns.filter((column) => column.target === entity)
    .map(({ propertyName, options }) => {
      if (typeof options.type !== 'string')
        throw new Error(`${entity.name}.${propertyName} does not name its column type`);
      return {
        property: propertyName,
        column: options.name ?? snakeCase(propertyName),
        type: options.type,
        primary: options.primary ?? false,
        nullable: options.nullable ?? false,
      };
    });
  if (!columns.some((column) => column.primary)) throw new Error(`${entity.name} has no primary column`);
  return columns;
}

/** The indexes of an entity beside its primary key. `columns` are those of the database. */
function indexesOf(entity: EntityClass) {
  const columns = new Map(columnsOf(entity).map(({ property, column }) => [property, column]));
  const columnOf = (property: unknown): string => {
    const column = columns.get(String(property));
    if (column === undefined) throw new Error(`${entity.name} has an index over ${String(property)}`);
    return column;
  };
  return getMetadataArgsStorage()
    .indices.filter(({ target }) => target === entity)
    .map(({ name, columns: indexed, where, unique = false, type = 'btree' }) => {
      if (!name || !Array.isArray(indexed))
        throw new Error(`an index of ${entity.name} lacks its name or columns`);
      return { name, columns: indexed.map(columnOf), where, unique, type };
    });
}

/**
 * Properties are camelCase in the code and snake_case in the database. Primary keys get the names that
 * PostgreSQL gives.
 */
export class SnakeNamingStrategy extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }

  override primaryKeyName(table: Parameters<DefaultNamingStrategy['primaryKeyName']>[0]): string {
    return `${this.getTableName(table)}_pkey`;
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/*
 * The rows of a read model's generation n are in the table `{environment}.{name}_g{n}`. Readers use the view
 * `{environment}.{name}` over the generation that serves. Tables, indexes and views are made from the entity
 * alone.
 */

export type TabledModel = Pick<ReadModel<object>, 'name' | 'version' | 'entity' | 'rowPerEvent' | 'grown'>;

const shapes = new WeakMap<EntityClass, string>();

/**
 * Derived from the fold's version, the columns and the added categories. So it is equal in all releases that
 * make the same rows.
 */
export function shapeOf(model: TabledModel): string {
  return [shapeBeforeGrowth(model), ...(model.grown?.categories.toSorted() ?? [])].join('+');
}

/** The shape in the releases that consumed fewer categories. The model's own shape if it has not grown. */
export function shapeBeforeGrowth({ entity, version }: TabledModel): string {
  let columns = shapes.get(entity);
  if (columns === undefined) {
    const named = columnsOf(entity).map(({ column, type }) => `${column} ${type}`);
    columns = hash('sha256', named.toSorted().join()).slice(0, 8);
    shapes.set(entity, columns);
  }
  return `${version}.${columns}`;
}

/** Without its primary key. */
export function createTable(environment: Environment, model: TabledModel, generation: number): string {
  const definitions = columnsOf(model.entity).map(
    ({ column, type, nullable }) => `${column} ${type}${nullable ? '' : ' not null'}`,
  );
  const fillfactor = fillfactorOf(model);
  return `create table ${tableOf(environment, model, generation)} (
    ${definitions.join(', ')})${fillfactor && ` with (${fillfactor})`}`;
}

export function addPrimaryKey(environment: Environment, model: TabledModel, generation: number): string {
  const primary = columnsOf(model.entity).filter((column) => column.primary);
  return `alter table ${tableOf(environment, model, generation)}
    add primary key (${primary.map(({ column }) => column).join(', ')})`;
}

/** The name that PostgreSQL gives it. */
export function primaryKeyOf(environment: Environment, model: TabledModel, generation: number): string {
  return `${tableOf(environment, model, generation)}_pkey`;
}

/**
 * Off while history fills a table, because autovacuum would sample the table each time it grows by a tenth.
 * {@link analyze} samples it once, when all rows are written.
 */
export function autovacuum(
  environment: Environment,
  model: TabledModel,
  generation: number,
  state: 'off' | 'usual',
): string {
  const change = state === 'off' ? 'set (autovacuum_enabled = off)' : 'reset (autovacuum_enabled)';
  return `alter table ${tableOf(environment, model, generation)} ${change}`;
}

/** For the planner; only an index of its own looks into a document. */
export function analyze(environment: Environment, model: TabledModel, generation: number): string {
  const sought = columnsOf(model.entity).filter(({ type }) => type !== 'jsonb');
  return `analyze ${tableOf(environment, model, generation)} (${sought.map(({ column }) => column).join(', ')})`;
}

/**
 * The indexes beside the primary key. They are made when all rows are written, which is much faster than
 * updating them with each row.
 */
export function createIndexes(
  environment: Environment,
  model: TabledModel,
  generation: number,
  existing: readonly string[] = [],
): string[] {
  return indexesOf(model.entity)
    .map((index) => ({ ...index, name: `${index.name}_g${generation}` }))
    .filter(({ name }) => !existing.includes(name))
    .map(({ name, columns, where, unique, type }) => {
      const on = `${tableOf(environment, model, generation)} using ${type} (${columns.join(', ')})`;
      const condition = where === undefined ? '' : ` where ${where}`;
      return `create ${unique ? 'unique ' : ''}index if not exists ${name} on ${on}${condition}`;
    });
}

/** An empty first generation, which serves. */
export async function createFirstGeneration(
  client: pg.ClientBase,
  environment: Environment,
  model: TabledModel,
): Promise<void> {
  await client.query(createTable(environment, model, 1));
  await client.query(addPrimaryKey(environment, model, 1));
  for (const index of createIndexes(environment, model, 1)) await client.query(index);
  await showGeneration(client, environment, model, 1);
}

/**
 * Replaces a view in place if it only gains columns; otherwise drops it and makes it anew. Belongs in a
 * transaction.
 */
export async function showGeneration(
  client: pg.ClientBase,
  environment: Environment,
  model: TabledModel,
  generation: number,
): Promise<void> {
  const view = `${environment}.${model.name}`;
  const columns = columnsOf(model.entity);
  const { rows } = await client.query<{ replaceable: boolean }>(
    `select coalesce(bool_and(a.attname = own.name and a.atttypid = to_regtype(own.type)), true) as replaceable
      from pg_attribute a left join unnest($2::text[], $3::text[]) with ordinality own (name, type, place) on place = attnum
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [view, columns.map(({ column }) => column), columns.map(({ type }) => type)],
  );
  if (!rows[0]?.replaceable) await client.query(`drop view ${view}`);
  await client.query(
    `create or replace view ${view} as select ${columns.map(({ column }) => column).join(', ')}
      from ${tableOf(environment, model, generation)}`,
  );
}

/**
 * Makes the tables of an environment match the entities. Belongs in a transaction. If nothing has changed, it
 * changes nothing.
 *
 * - A new read model gets its first generation.
 * - A new column is added to every generation, and the view shows it. It is null in existing rows until a
 *   projector that knows it has folded them again (refold.ts). A column that may be null now loses its
 *   constraint.
 * - A new index is made.
 *
 * The next rebuild makes all other changes (types, removed columns, the primary key). It also makes missing
 * tables, because an empty table would look like an up-to-date read model.
 *
 * @returns the read models that got a column, whose rows lack it
 */
export async function alignTables(
  client: pg.ClientBase,
  environment: Environment,
  models: readonly TabledModel[],
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  const { tables, views, started } = await readTables(client, environment);
  for (const model of models) {
    const own = tables.filter(({ model: name }) => name === model.name);
    const view = views.get(model.name);
    if (own.length === 0 && !view && !started.has(model.name))
      await createFirstGeneration(client, environment, model);
    for (const table of own)
      for (const change of changesOf(environment, model, table)) await client.query(change);
    const columns = columnsOf(model.entity);
    if (own.some((table) => columns.some(({ column }) => !table.columns.includes(column))))
      changed.add(model.name);
    const isShown = columns.every(({ column }) => view?.columns.includes(column));
    if (view && !isShown) await showGeneration(client, environment, model, view.generation);
  }
  return changed;
}

interface FoundTable {
  readonly model: string;
  readonly generation: number;
  readonly columns: readonly string[];
  readonly required: readonly string[];
  readonly options: readonly string[];
  readonly indexes: readonly string[];
  /** Not filled yet: its indexes come later. */
  readonly building: boolean;
}

interface FoundView {
  readonly model: string;
  readonly generation: number;
  readonly columns: readonly string[];
}

function changesOf(environment: Environment, model: TabledModel, found: FoundTable): string[] {
  const table = tableOf(environment, model, found.generation);
  const columns = columnsOf(model.entity);
  const added = columns.filter(({ column }) => !found.columns.includes(column));
  const relaxed = columns.filter(({ column, nullable }) => nullable && found.required.includes(column));
  const fillfactor = fillfactorOf(model);
  return [
    ...added.map(({ column, type }) => `alter table ${table} add column ${column} ${type}`),
    ...relaxed.map(({ column }) => `alter table ${table} alter column ${column} drop not null`),
    ...(fillfactor && !found.options.includes(fillfactor)
      ? [`alter table ${table} set (${fillfactor})`]
      : []),
    ...(found.building ? [] : createIndexes(environment, model, found.generation, found.indexes)),
  ];
}

async function readTables(client: pg.ClientBase, environment: Environment) {
  const tables = await client.query<FoundTable>(
    `select own.model, own.generation, coalesce(t.reloptions, '{}') as options,
        array_agg(a.attname::text order by a.attnum) as columns,
        coalesce(array_agg(a.attname::text) filter (where a.attnotnull), '{}') as required,
        (select coalesce(array_agg(x.relname::text), '{}')
          from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = t.oid) as indexes,
        exists (select from read_store.projections p where p.environment = $1 and p.name = own.model
          and p.generation = own.generation and p.state in ('building', 'comparing')) as building
      from pg_class t
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped,
      lateral (select substring(t.relname from '^(.+)_g[0-9]+$') as model,
        substring(t.relname from '_g([0-9]+)$')::integer as generation) own
      where t.relnamespace = $1::regnamespace and t.relkind = 'r' and own.model is not null
      group by t.oid, own.model, own.generation`,
    [environment],
  );
  const views = await client.query<FoundView>(
    `select view_name as model, substring(table_name from '_g([0-9]+)$')::integer as generation,
        (select array_agg(attname::text order by attnum) from pg_attribute
          where attrelid = format('%I.%I', view_schema, view_name)::regclass) as columns
      from information_schema.view_table_usage
      where view_schema = $1 and table_schema = $1 and table_name ~ ('^' || view_name || '_g[0-9]+$')`,
    [environment],
  );
  const started = await client.query<{ name: string }>(
    'select distinct name from read_store.projections where environment = $1',
    [environment],
  );
  return {
    tables: tables.rows,
    views: new Map(views.rows.map((view) => [view.model, view])),
    started: new Set(started.rows.map(({ name }) => name)),
  };
}

function tableOf(environment: Environment, { name }: TabledModel, generation: number): string {
  return `${environment}.${name}_g${generation}`;
}

/**
 * Rows that are updated after their insert get free room on their page, so that most updates touch no index.
 */
function fillfactorOf({ rowPerEvent }: TabledModel): string {
  return rowPerEvent ? '' : 'fillfactor=75';
}

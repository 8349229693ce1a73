import { DefaultNamingStrategy, getMetadataArgsStorage } from 'typeorm';
import type { EntityClass } from './read-model.js';

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

export interface EntityIndex {
  readonly name: string;
  /** Database columns. */
  readonly columns: readonly string[];
  /** The condition of a partial index. */
  readonly where: string | undefined;
  readonly unique: boolean;
}

/** The columns of an entity as its decorators declare them. Works without a connection, unlike TypeORM's own metadata. */
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

/** The indexes of an entity beside its primary key. */
export function indexesOf(entity: EntityClass): readonly EntityIndex[] {
  const columns = new Map(columnsOf(entity).map(({ property, column }) => [property, column]));
  const columnOf = (property: unknown): string => {
    const column = columns.get(String(property));
    if (column === undefined) throw new Error(`${entity.name} has an index over ${String(property)}`);
    return column;
  };
  return getMetadataArgsStorage()
    .indices.filter(({ target }) => target === entity)
    .map(({ name, columns: indexed, where, unique = false }) => {
      if (!name || !Array.isArray(indexed))
        throw new Error(`an index of ${entity.name} lacks its name or columns`);
      return { name, columns: indexed.map(columnOf), where, unique };
    });
}

/** Properties are camelCase in the code and snake_case in the database; primary keys are named as PostgreSQL names them. */
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

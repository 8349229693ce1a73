import { getMetadataArgsStorage } from 'typeorm';
import { snakeCase } from './naming-strategy.js';
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

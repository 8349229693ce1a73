import { getMetadataArgsStorage } from 'typeorm';
import type { Environment } from '#domain/streams.js';
import { columnsOf } from '../entity-table.js';
import { snakeCase } from '../naming-strategy.js';
import type { ReadModel } from '../read-model.js';

/**
 * The statements that make a generation, from the entity alone: the tables that it succeeds may be of an older form, or
 * gone. That the migrations make the very same tables is held by a test.
 */
export function createTable(environment: Environment, model: ReadModel<object>, generation: number): string {
  const columns = columnsOf(model.entity);
  const definitions = columns.map(
    ({ column, type, nullable }) => `${column} ${type}${nullable ? '' : ' not null'}`,
  );
  const primary = columns.filter((column) => column.primary).map(({ column }) => column);
  // Rows that are updated after they were inserted get room on their page, so that most updates touch no index.
  const room = model.rowPerEvent ? '' : ' with (fillfactor = 75)';
  return `create table ${environment}.${model.name}_g${generation} (
    ${definitions.join(', ')}, primary key (${primary.join(', ')}))${room}`;
}

/** Of the indexes beside the primary key. Made when the rows are there: that is much faster than keeping them. */
export function createIndexes(
  environment: Environment,
  model: ReadModel<object>,
  generation: number,
): string[] {
  const columns = new Map(columnsOf(model.entity).map(({ property, column }) => [property, column]));
  return getMetadataArgsStorage()
    .indices.filter(({ target }) => target === model.entity)
    .map(({ name, columns: indexed, where, unique }) => {
      if (!name || !Array.isArray(indexed))
        throw new Error(`an index of ${model.name} lacks its name or columns`);
      const names = indexed.map((property) => columns.get(String(property)) ?? snakeCase(String(property)));
      const on = `${environment}.${model.name}_g${generation} (${names.join(', ')})`;
      const condition = where ? ` where ${where}` : '';
      return `create ${unique ? 'unique ' : ''}index if not exists ${name}_g${generation} on ${on}${condition}`;
    });
}

import { DefaultNamingStrategy } from 'typeorm';

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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

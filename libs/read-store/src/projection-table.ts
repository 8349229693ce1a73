import type pg from 'pg';
import { columnsOf, type EntityColumn } from './entity-table.js';
import { columnArray } from './column-array.js';
import { copiedRows } from './copied-rows.js';
import type { Key, ReadModel } from './read-model.js';

/** A row of any read model, by property. */
export type Row = Record<string, unknown>;

/** Keys as map keys. No part of a key holds a NUL: PostgreSQL's text cannot. */
export function keyText(key: Key): string {
  return key.length === 1 ? String(key[0]) : key.join('\0');
}

/** The statements that read and write one generation of a read model, many rows at a time. */
export class ProjectionTable {
  private readonly columns: readonly EntityColumn[];
  private readonly primary: readonly EntityColumn[];
  private readonly selectText: string;
  private readonly upsertText: string;
  private readonly deleteText: string;
  readonly name: string;

  constructor(environment: string, model: ReadModel<object>, generation: number) {
    this.columns = columnsOf(model.entity);
    this.primary = this.columns.filter((column) => column.primary);
    this.name = `${environment}.${model.name}_g${generation}`;
    const keys = this.primary.map(({ column }) => column).join(', ');
    const keyed = `(${keys}) in (select * from unnest(${arrays(this.primary)}))`;
    const properties = this.columns.map(({ column, property }) => `${column} as "${property}"`).join(', ');
    this.selectText = `select ${properties} from ${this.name} where ${keyed}`;
    this.deleteText = `delete from ${this.name} where ${keyed}`;
    this.upsertText = `insert into ${this.name} (${this.columns.map(({ column }) => column).join(', ')})
      select * from unnest(${arrays(this.columns)})
      on conflict (${keys}) do ${this.onConflict()}`;
  }

  select(keys: readonly Key[]): pg.QueryConfig {
    return { name: `select ${this.name}`, text: this.selectText, values: this.keyValues(keys) };
  }

  delete(keys: readonly Key[]): pg.QueryConfig {
    return { name: `delete ${this.name}`, text: this.deleteText, values: this.keyValues(keys) };
  }

  upsert(rows: readonly Row[]): pg.QueryConfig {
    const values = this.columns.map(({ property, type }) =>
      columnArray(
        type,
        rows.map((row) => row[property]),
      ),
    );
    return { name: `upsert ${this.name}`, text: this.upsertText, values };
  }

  /** A `copy … from stdin` and what it is to be given: for rows that are known to be new, at a third of an upsert's cost. */
  copy(rows: readonly Row[]): { readonly text: string; readonly data: Buffer } {
    const names = this.columns.map(({ column }) => column).join(', ');
    return {
      text: `copy ${this.name} (${names}) from stdin (format binary)`,
      data: copiedRows(this.columns, rows),
    };
  }

  keyOfRow(row: Row): Key {
    return this.primary.map(({ property }) => row[property]) as (string | number)[];
  }

  private keyValues(keys: readonly Key[]): Buffer[] {
    return this.primary.map(({ type }, index) =>
      columnArray(
        type,
        keys.map((key) => key[index]),
      ),
    );
  }

  private onConflict(): string {
    const others = this.columns.filter((column) => !column.primary);
    if (others.length === 0) return 'nothing';
    return `update set ${others.map(({ column }) => `${column} = excluded.${column}`).join(', ')}`;
  }
}

function arrays(columns: readonly EntityColumn[]): string {
  return columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
}

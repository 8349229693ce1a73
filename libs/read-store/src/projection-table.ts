import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { binaryArray, BinaryWriter, elementType, usualFieldBytes } from '#platform/binary-array.js';
import { columnsOf, type EntityColumn } from './entity-table.js';
import type { PrimaryKey, ReadModel } from './read-model.js';

/** A row of any read model, by property. */
export type ModelRow = Record<string, unknown>;

/** Keys as map keys. No part of a key holds a NUL: PostgreSQL's text cannot. */
export function keyText(key: PrimaryKey): string {
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

  select(keys: readonly PrimaryKey[]): pg.QueryConfig {
    return { name: `select ${this.name}`, text: this.selectText, values: this.keyValues(keys) };
  }

  delete(keys: readonly PrimaryKey[]): pg.QueryConfig {
    return { name: `delete ${this.name}`, text: this.deleteText, values: this.keyValues(keys) };
  }

  upsert(rows: readonly ModelRow[]): pg.QueryConfig {
    const values = this.columns.map(({ property, type }) =>
      binaryArray(
        type,
        rows.map((row) => row[property]),
      ),
    );
    return { name: `upsert ${this.name}`, text: this.upsertText, values };
  }

  /** A `copy … from stdin` and its data: for rows that are known to be new, at a third of an upsert's cost. */
  copy(rows: readonly ModelRow[]): { readonly text: string; readonly data: Buffer } {
    const names = this.columns.map(({ column }) => column).join(', ');
    return {
      text: `copy ${this.name} (${names}) from stdin (format binary)`,
      data: copiedRows(this.columns, rows),
    };
  }

  keyOfRow(row: ModelRow): PrimaryKey {
    // Keys are of types that PostgreSQL can compare and maps can hold: text and integers.
    return this.primary.map(({ property }) => row[property]) as (string | number)[];
  }

  private keyValues(keys: readonly PrimaryKey[]): Buffer[] {
    return this.primary.map(({ type }, index) =>
      binaryArray(
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

/**
 * Rows as PostgreSQL's binary COPY format: the signature, int32 flags, int32 length of an extension; for each row int16
 * fields and the fields; at the end an int16 −1.
 */
function copiedRows(
  columns: readonly EntityColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Buffer {
  const fields = columns.map(({ property, type }) => ({ property, element: elementType(type) }));
  const bytes = new BinaryWriter(rows.length * fields.length * usualFieldBytes);
  bytes.text('PGCOPY\n\xff\r\n\0', 'latin1');
  bytes.int32(0);
  bytes.int32(0);
  for (const row of rows) {
    bytes.int16(fields.length);
    for (const { property, element } of fields) bytes.field(element, row[property]);
  }
  bytes.int16(-1);
  return bytes.bytes;
}

/** Sends the rows. The client may not be a pipelined one. @throws what PostgreSQL refuses them with */
export async function copyIn(
  client: pg.Client,
  { text, data }: { readonly text: string; readonly data: Buffer },
): Promise<void> {
  const rows = client.query(copyFrom(text));
  rows.end(data);
  await finished(rows);
}

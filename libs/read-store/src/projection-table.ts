import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { binaryArray, elementType } from '#platform/binary-array.js';
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

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const headerBytes = signature.length + 8;

/**
 * Rows as PostgreSQL's binary COPY format: the signature, int32 flags, int32 length of an extension; for each row int16
 * fields and for each field int32 size (−1: null) and its bytes; at the end an int16 −1.
 */
function copiedRows(
  columns: readonly EntityColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Buffer {
  const fields = columns.map(({ property, type }) => ({ property, element: elementType(type) }));
  const width = fields.length;
  const values: unknown[] = Array.from({ length: rows.length * width });
  const sizes = new Int32Array(rows.length * width);
  let bytes = headerBytes + 2;
  let place = 0;
  for (const row of rows) {
    bytes += 2 + 4 * width;
    for (const { property, element } of fields) {
      const value = row[property];
      if (value === null || value === undefined) sizes[place] = -1;
      else {
        const encoded = element.encode ? element.encode(value) : value;
        values[place] = encoded;
        bytes += sizes[place] = element.sizeBytes(encoded);
      }
      place += 1;
    }
  }
  const buffer = Buffer.allocUnsafe(bytes);
  let offset = signature.copy(buffer);
  offset = buffer.writeInt32BE(0, offset);
  offset = buffer.writeInt32BE(0, offset);
  place = 0;
  for (let row = 0; row < rows.length; row++) {
    offset = buffer.writeInt16BE(width, offset);
    for (const { element } of fields) {
      const size = sizes[place] ?? -1;
      offset = buffer.writeInt32BE(size, offset);
      if (size >= 0) {
        element.write(buffer, values[place], offset);
        offset += size;
      }
      place += 1;
    }
  }
  buffer.writeInt16BE(-1, offset);
  return buffer;
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

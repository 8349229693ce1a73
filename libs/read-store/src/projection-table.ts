import pg from 'pg';
import { binaryArray, BinaryWriter, elementType, type ElementType } from '#platform/binary-array.js';
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

  /** For rows that are known to be new. Costs a third of an upsert. */
  copy(rows: readonly ModelRow[] = []): CopiedRows {
    const names = this.columns.map(({ column }) => column).join(', ');
    const copied = new CopiedRows(`copy ${this.name} (${names}) from stdin (format binary)`, this.columns);
    for (const row of rows) copied.add(row);
    return copied;
  }

  keyOfRow(row: ModelRow): PrimaryKey {
    // Keys are text and integers. PostgreSQL can compare these types, and maps can hold them.
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
 * Rows in PostgreSQL's binary COPY format. It begins with the signature, int32 flags and the int32 length of an
 * extension. Each row has an int16 count and its fields. An int16 −1 ends the data. Each row is encoded when it
 * is added, so the objects need not be kept.
 */
export class CopiedRows {
  private readonly fields: readonly { readonly property: string; readonly element: ElementType }[];
  private readonly bytes = new BinaryWriter(firstBytes);
  private rows = 0;

  constructor(
    private readonly text: string,
    columns: readonly EntityColumn[],
  ) {
    this.fields = columns.map(({ property, type }) => ({ property, element: elementType(type) }));
    this.bytes.text('PGCOPY\n\xff\r\n\0', 'latin1');
    this.bytes.int32(0);
    this.bytes.int32(0);
  }

  get count(): number {
    return this.rows;
  }

  add(row: ModelRow): void {
    this.bytes.int16(this.fields.length);
    for (const { property, element } of this.fields) this.bytes.field(element, row[property]);
    this.rows++;
  }

  /** Any number of times. @throws what PostgreSQL refuses the rows with */
  send(client: pg.Client): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    client.query(
      new Copy(this.text, this.bytes.bytes, (error, result) => (error ? reject(error) : resolve(result))),
    );
    return promise;
  }
}

const firstBytes = 1024;

/**
 * COPY with its data sent right behind it. So PostgreSQL can go on to the next statement of a pipeline while
 * this thread is busy. If PostgreSQL refuses a COPY, it skips the data, as the protocol says. A pipelined
 * client only accepts its own class of queries, whose fields `text` and `rows` have another meaning.
 */
class Copy extends pg.Query {
  constructor(
    private readonly statement: string,
    private readonly data: Buffer,
    done: (error: Error | undefined, result: pg.QueryResult) => void,
  ) {
    super(statement, done);
  }

  override submit = (connection: pg.Connection): void => {
    connection.query(this.statement);
    const header = Buffer.from('d\0\0\0\0');
    header.writeInt32BE(4 + this.data.length + endOfRows.length, 1);
    for (const part of [header, this.data, endOfRows, copyDone]) connection.stream.write(part);
  };

  handleCopyInResponse(): void {
    // The data is on its way.
  }
}

const endOfRows = Buffer.from([0xff, 0xff]);
const copyDone = Buffer.from('c\0\0\0\x04');

/**
 * The binary form of one value of a PostgreSQL type. Values have the type's JavaScript form: `Date` for
 * `timestamptz`, `bigint` for `bigint`, any JSON value for `jsonb`, and the text of a document for `json`.
 */
export interface ElementType {
  readonly oid: number;
  write(bytes: BinaryWriter, value: unknown): void;
}

/** UTF-8 takes at most 3 bytes for each UTF-16 unit. */
const bytesOfCharacter = 3;

/** Bytes that grow as they are written. */
export class BinaryWriter {
  private buffer: Buffer;
  length = 0;

  constructor(expectedBytes: number) {
    this.buffer = Buffer.allocUnsafe(expectedBytes);
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  int8(value: number): void {
    this.reserve(1);
    this.length = this.buffer.writeInt8(value, this.length);
  }

  int16(value: number): void {
    this.reserve(2);
    this.length = this.buffer.writeInt16BE(value, this.length);
  }

  int32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeInt32BE(value, this.length);
  }

  int64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigInt64BE(value, this.length);
  }

  text(value: string, encoding: 'utf8' | 'hex' | 'latin1' = 'utf8'): void {
    this.reserve(value.length * bytesOfCharacter);
    this.length += this.buffer.write(value, this.length, encoding);
  }

  /** int32 size (−1: null) and the value. */
  field(element: ElementType, value: unknown): void {
    if (value === null || value === undefined) return this.int32(-1);
    this.reserve(4);
    const start = (this.length += 4);
    element.write(this, value);
    this.buffer.writeInt32BE(this.length - start, start - 4);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

const headerBytes = 20;
/** With its size: most are ids, times and numbers. */
const usualFieldBytes = 32;
/** PostgreSQL counts microseconds from here. */
const postgresEpochMs = Date.UTC(2000, 0, 1);
const jsonbVersion = 1;

const elementTypes: Readonly<Record<string, ElementType>> = {
  text: { oid: 25, write: (bytes, value: string) => bytes.text(value) },
  json: { oid: 114, write: (bytes, value: string) => bytes.text(value) },
  integer: { oid: 23, write: (bytes, value: number) => bytes.int32(value) },
  bigint: { oid: 20, write: (bytes, value: bigint) => bytes.int64(value) },
  uuid: { oid: 2950, write: (bytes, value: string) => bytes.text(value.replaceAll('-', ''), 'hex') },
  timestamptz: {
    oid: 1184,
    write(bytes, value: Date) {
      // A number and not a bigint, which is slow to split into halves. A double is exact for microseconds until
      // the year 2255.
      const microseconds = (value.getTime() - postgresEpochMs) * 1000;
      bytes.int32(Math.floor(microseconds / 2 ** 32));
      bytes.int32(microseconds | 0);
    },
  },
  jsonb: {
    oid: 3802,
    write(bytes, value) {
      bytes.int8(jsonbVersion);
      bytes.text(JSON.stringify(value));
    },
  },
};

/** @throws Error for a type that is not in the table above: add it there */
export function elementType(type: string): ElementType {
  const element = elementTypes[type];
  if (!element) throw new Error(`columns of type ${type} cannot be written in batches yet`);
  return element;
}

/**
 * PostgreSQL's binary form of a one-dimensional array. An array as text would be escaped here character by
 * character, and parsed again by the server. For a batch of JSON documents that costs more than all other work.
 * `pg` would also write dates in local time, and JSON arrays as SQL arrays.
 *
 * Layout (`array_recv`): int32 dimensions, has nulls, element oid, length, lower bound; then for each element
 * int32 size (−1: null) and the bytes in the element type's own binary form.
 * @throws Error for a type that cannot be written in batches
 */
export function binaryArray(type: string, values: readonly unknown[]): Buffer {
  const element = elementType(type);
  const bytes = new BinaryWriter(headerBytes + values.length * usualFieldBytes);
  const hasNulls = values.some((value) => value === null || value === undefined);
  for (const field of [1, hasNulls ? 1 : 0, element.oid, values.length, 1]) bytes.int32(field);
  for (const value of values) bytes.field(element, value);
  return bytes.bytes;
}

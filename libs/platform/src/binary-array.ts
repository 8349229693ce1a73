/**
 * How PostgreSQL writes one value of a type in binary. Values are given as the type's own JavaScript form: `Date` for
 * `timestamptz`, `bigint` for `bigint`, any JSON value for `jsonb`, and the text of a document for `json`.
 */
export interface ElementType {
  readonly oid: number;
  /** Done once for each value, because its size has to be known before the buffer is made. */
  encode?(value: unknown): unknown;
  sizeBytes(encoded: unknown): number;
  write(buffer: Buffer, encoded: unknown, offset: number): void;
}

const headerBytes = 20;
/** PostgreSQL counts microseconds from here. */
const postgresEpochMs = Date.UTC(2000, 0, 1);
const jsonbVersion = 1;

const text = {
  sizeBytes: (value: string) => Buffer.byteLength(value),
  write: (buffer: Buffer, value: string, offset: number) => void buffer.write(value, offset),
};

const elementTypes: Readonly<Record<string, ElementType>> = {
  text: { oid: 25, ...text },
  json: { oid: 114, ...text },
  integer: {
    oid: 23,
    sizeBytes: () => 4,
    write: (buffer, value: number, offset) => void buffer.writeInt32BE(value, offset),
  },
  bigint: {
    oid: 20,
    sizeBytes: () => 8,
    write: (buffer, value: bigint, offset) => void buffer.writeBigInt64BE(value, offset),
  },
  uuid: {
    oid: 2950,
    sizeBytes: () => 16,
    write: (buffer, value: string, offset) => void buffer.write(value.replaceAll('-', ''), offset, 'hex'),
  },
  timestamptz: {
    oid: 1184,
    sizeBytes: () => 8,
    write: (buffer, value: Date, offset) =>
      void buffer.writeBigInt64BE(BigInt(value.getTime() - postgresEpochMs) * 1000n, offset),
  },
  jsonb: {
    oid: 3802,
    encode: (value) => JSON.stringify(value),
    sizeBytes: (json: string) => 1 + Buffer.byteLength(json),
    write: (buffer, json: string, offset) => void buffer.write(json, buffer.writeInt8(jsonbVersion, offset)),
  },
};

/** @throws Error for a type that nothing has used yet: it belongs into the table above. */
export function elementType(type: string): ElementType {
  const element = elementTypes[type];
  if (!element) throw new Error(`columns of type ${type} cannot be written in batches yet`);
  return element;
}

/**
 * PostgreSQL's binary form of a one-dimensional array. As text, an array is escaped character by character here and
 * parsed again by the server: for a batch of JSON documents that costs more than all the rest. `pg` would also write
 * dates in local time and JSON arrays as SQL ones.
 *
 * Layout (`array_recv`): int32 dimensions, has nulls, element oid, length, lower bound; then for each element int32
 * size (−1: null) and the bytes in the element type's own binary form.
 * @throws Error for a type that cannot be written in batches
 */
export function binaryArray(type: string, values: readonly unknown[]): Buffer {
  const element = elementType(type);
  const encoded = element.encode
    ? values.map((value) => (isNull(value) ? null : element.encode?.(value)))
    : values;
  const sizes = encoded.map((value) => (isNull(value) ? -1 : element.sizeBytes(value)));
  const bodyBytes = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 0);
  const buffer = Buffer.allocUnsafe(headerBytes + bodyBytes);
  const header = [1, sizes.includes(-1) ? 1 : 0, element.oid, values.length, 1];
  header.forEach((field, index) => buffer.writeInt32BE(field, index * 4));
  let offset = headerBytes;
  for (const [index, size] of sizes.entries()) {
    offset = buffer.writeInt32BE(size, offset);
    if (size < 0) continue;
    element.write(buffer, encoded[index], offset);
    offset += size;
  }
  return buffer;
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

/**
 * The values of one column, for many rows, as PostgreSQL's binary form of an array. As text an array is escaped
 * character by character here and parsed again by the server, which for JSON costs more than the insert itself; `pg`
 * would also write dates in local time and JSON arrays as SQL ones.
 *
 * Layout (`array_recv`): int32 dimensions, has nulls, element oid, length, lower bound; then for each element int32
 * size (−1: null) and the bytes in the element type's own binary form.
 */
export interface ElementType {
  readonly oid: number;
  /** Done once for each value, because its size has to be known before the buffer is made. */
  readonly encode?: (value: unknown) => unknown;
  sizeBytes(encoded: unknown): number;
  write(buffer: Buffer, encoded: unknown, offset: number): void;
}

const headerBytes = 20;
/** PostgreSQL counts microseconds from here. */
const postgresEpochMs = Date.UTC(2000, 0, 1);
const jsonbVersion = 1;

const elementTypes: Readonly<Record<string, ElementType>> = {
  text: {
    oid: 25,
    sizeBytes: (value) => Buffer.byteLength(value as string),
    write: (buffer, value, offset) => buffer.write(value as string, offset),
  },
  integer: {
    oid: 23,
    sizeBytes: () => 4,
    write: (buffer, value, offset) => buffer.writeInt32BE(value as number, offset),
  },
  timestamptz: {
    oid: 1184,
    sizeBytes: () => 8,
    write: (buffer, value, offset) =>
      buffer.writeBigInt64BE(BigInt((value as Date).getTime() - postgresEpochMs) * 1000n, offset),
  },
  jsonb: {
    oid: 3802,
    encode: JSON.stringify,
    sizeBytes: (json) => 1 + Buffer.byteLength(json as string),
    write: (buffer, json, offset) => buffer.write(json as string, buffer.writeInt8(jsonbVersion, offset)),
  },
};

/** @throws Error for a column type that no read model has used yet: it belongs into the table above. */
export function elementType(type: string): ElementType {
  const element = elementTypes[type];
  if (!element) throw new Error(`columns of type ${type} cannot be written in batches yet`);
  return element;
}

/** @throws Error for a column type that cannot be written in batches */
export function columnArray(type: string, values: readonly unknown[]): Buffer {
  const element = elementType(type);
  const { encode } = element;
  const encoded = encode ? values.map((value) => (isNull(value) ? null : encode(value))) : values;
  const sizes = encoded.map((value) => (isNull(value) ? -1 : element.sizeBytes(value)));
  const bodyBytes = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 0);
  const buffer = Buffer.allocUnsafe(headerBytes + bodyBytes);
  const header = [1, sizes.includes(-1) ? 1 : 0, element.oid, values.length, 1];
  header.forEach((field, index) => buffer.writeInt32BE(field, index * 4));
  let offset = headerBytes;
  encoded.forEach((value, index) => {
    const size = sizes[index]!;
    offset = buffer.writeInt32BE(size, offset);
    if (size < 0) return;
    element.write(buffer, value, offset);
    offset += size;
  });
  return buffer;
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

/**
 * The values of one column, for many rows, as PostgreSQL's binary form of an array. As text an array is escaped
 * character by character here and parsed again by the server, which for JSON costs more than the insert itself; `pg`
 * would also write dates in local time and JSON arrays as SQL ones.
 *
 * Layout (`array_recv`): int32 dimensions, has nulls, element oid, length, lower bound; then for each element int32
 * size (−1: null) and the bytes in the element type's own binary form.
 */
interface ElementType {
  readonly oid: number;
  /** What `write` gets: computed once, because its size has to be known before the buffer is made. */
  prepare(value: unknown): Prepared;
}

interface Prepared {
  readonly sizeBytes: number;
  write(buffer: Buffer, offset: number): void;
}

const headerBytes = 20;
/** PostgreSQL counts microseconds from here. */
const postgresEpochMs = Date.UTC(2000, 0, 1);
const jsonbVersion = 1;

const text = (value: string): Prepared => ({
  sizeBytes: Buffer.byteLength(value),
  write: (buffer, offset) => buffer.write(value, offset),
});

const elementTypes: Readonly<Record<string, ElementType>> = {
  text: { oid: 25, prepare: (value) => text(value as string) },
  integer: {
    oid: 23,
    prepare: (value) => ({
      sizeBytes: 4,
      write: (buffer, offset) => buffer.writeInt32BE(value as number, offset),
    }),
  },
  timestamptz: {
    oid: 1184,
    prepare: (value) => ({
      sizeBytes: 8,
      write: (buffer, offset) =>
        buffer.writeBigInt64BE(BigInt((value as Date).getTime() - postgresEpochMs) * 1000n, offset),
    }),
  },
  jsonb: {
    oid: 3802,
    prepare: (value) => {
      const json = text(JSON.stringify(value));
      return {
        sizeBytes: json.sizeBytes + 1,
        write: (buffer, offset) => json.write(buffer, buffer.writeInt8(jsonbVersion, offset)),
      };
    },
  },
};

/** @throws Error for a column type that no read model has used yet: it belongs into the table above. */
export function columnArray(type: string, values: readonly unknown[]): Buffer {
  const element = elementTypes[type];
  if (!element) throw new Error(`columns of type ${type} cannot be written in batches yet`);
  let size = headerBytes;
  let nulls = 0;
  const prepared = values.map((value) => {
    size += 4;
    if (value === null || value === undefined) {
      nulls = 1;
      return undefined;
    }
    const one = element.prepare(value);
    size += one.sizeBytes;
    return one;
  });
  const buffer = Buffer.allocUnsafe(size);
  [1, nulls, element.oid, values.length, 1].forEach((field, index) => buffer.writeInt32BE(field, index * 4));
  let offset = headerBytes;
  for (const one of prepared) {
    offset = buffer.writeInt32BE(one?.sizeBytes ?? -1, offset);
    if (!one) continue;
    one.write(buffer, offset);
    offset += one.sizeBytes;
  }
  return buffer;
}

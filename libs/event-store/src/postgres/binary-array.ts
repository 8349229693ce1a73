/**
 * PostgreSQL's binary form of a one-dimensional array without nulls. As text, an array is escaped character by
 * character here and parsed again by the server: for a batch of JSON documents that costs more than all the rest.
 *
 * Layout (`array_recv`): int32 dimensions, flags, element oid, length, lower bound; then for each element int32 size
 * and the bytes.
 */
const headerBytes = 20;

function open(length: number, elementOid: number, bodyBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(headerBytes + bodyBytes);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(0, 4);
  buffer.writeInt32BE(elementOid, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

/** For `text[]` (oid 25) and `json[]` (oid 114). */
export function textArray(values: readonly string[], elementOid: 25 | 114): Buffer {
  const sizes = values.map((value) => Buffer.byteLength(value));
  const buffer = open(
    values.length,
    elementOid,
    sizes.reduce((sum, size) => sum + 4 + size, 0),
  );
  let offset = headerBytes;
  values.forEach((value, index) => {
    offset = buffer.writeInt32BE(sizes[index]!, offset);
    offset += buffer.write(value, offset, 'utf8');
  });
  return buffer;
}

export function uuidArray(values: readonly string[]): Buffer {
  const buffer = open(values.length, 2950, values.length * 20);
  let offset = headerBytes;
  for (const value of values) {
    offset = buffer.writeInt32BE(16, offset);
    offset += buffer.write(value.replaceAll('-', ''), offset, 'hex');
  }
  return buffer;
}

export function int4Array(values: readonly number[]): Buffer {
  const buffer = open(values.length, 23, values.length * 8);
  let offset = headerBytes;
  for (const value of values) {
    offset = buffer.writeInt32BE(4, offset);
    offset = buffer.writeInt32BE(value, offset);
  }
  return buffer;
}

export function int8Array(values: readonly bigint[]): Buffer {
  const buffer = open(values.length, 20, values.length * 12);
  let offset = headerBytes;
  for (const value of values) {
    offset = buffer.writeInt32BE(8, offset);
    offset = buffer.writeBigInt64BE(value, offset);
  }
  return buffer;
}

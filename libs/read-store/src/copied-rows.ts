import { elementType } from './column-array.js';
import type { EntityColumn } from './entity-table.js';

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const headerBytes = signature.length + 8;

/**
 * Rows as PostgreSQL's binary COPY format: the signature, int32 flags, int32 length of an extension; for each row int16
 * fields and for each field int32 size (−1: null) and its bytes; at the end an int16 −1.
 */
export function copiedRows(
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
      const size = sizes[place]!;
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

/**
 * Boxes of JUMBF (ISO/IEC 19566-5), as C2PA uses them: a superbox holds a description and further boxes. Lengths of 64
 * bits are not written, and not read: no manifest is that long.
 */
export interface Superbox {
  /** The four letters that begin the type's UUID, for example `c2ma`; the whole UUID if it is none of C2PA. */
  readonly kind: string;
  readonly label: string;
  readonly children: readonly Superbox[];
  /** The bytes of the boxes that are no superboxes, for example of `cbor`. */
  readonly content: readonly { readonly type: string; readonly bytes: Buffer }[];
  /** All bytes of the box. */
  readonly bytes: Buffer;
}

/** All types that C2PA uses end alike (C2PA 2.2, 11.1.4). */
const restOfUuid = Buffer.from('00110010800000aa00389b71', 'hex');
const headerBytes = 8;
/** The box can be requested, and has a label. */
const toggles = 0b11;

export function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(headerBytes);
  const body = Buffer.concat(parts);
  head.writeUInt32BE(headerBytes + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export function superbox(kind: string, label: string, ...parts: readonly Uint8Array[]): Buffer {
  const labelled = Buffer.from(`${label}\0`);
  const description = box('jumd', Buffer.from(kind, 'latin1'), restOfUuid, Buffer.of(toggles), labelled);
  return box('jumb', description, ...parts);
}

/** The bytes of a superbox that hashes of it cover: all but its own header. */
export const hashed = (superbox: Buffer): Buffer => superbox.subarray(headerBytes);

/** @throws RangeError if the bytes are no superbox, or end too early */
export function readSuperbox(bytes: Buffer): Superbox {
  const [outer] = readBoxes(bytes);
  if (outer?.type !== 'jumb') throw new RangeError('there is no superbox');
  const [description, ...rest] = readBoxes(outer.body);
  if (description?.type !== 'jumd' || description.body.length < 17)
    throw new RangeError('the superbox has no description');
  const isOfC2pa = description.body.subarray(4, 16).equals(restOfUuid);
  const kind = isOfC2pa ? description.body.toString('latin1', 0, 4) : description.body.toString('hex', 0, 16);
  if ((description.body[16]! & toggles) !== toggles) throw new RangeError('the superbox has no label');
  const end = description.body.indexOf(0, 17);
  const label = end < 0 ? '' : description.body.toString('utf8', 17, end);
  const isSuperbox = ({ type }: { readonly type: string }) => type === 'jumb';
  return {
    kind,
    label,
    children: rest.filter(isSuperbox).map((child) => readSuperbox(child.bytes)),
    content: rest.filter((each) => !isSuperbox(each)).map(({ type, body }) => ({ type, bytes: body })),
    bytes: outer.bytes,
  };
}

function readBoxes(bytes: Buffer): { type: string; body: Buffer; bytes: Buffer }[] {
  const boxes = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (length < headerBytes || at + length > bytes.length) throw new RangeError('a box ends too early');
    const whole = bytes.subarray(at, at + length);
    boxes.push({ type: whole.toString('latin1', 4, 8), body: whole.subarray(headerBytes), bytes: whole });
    at += length;
  }
  return boxes;
}

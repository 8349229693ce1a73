import { createHash, type Hash } from 'node:crypto';
import { box } from './jumbf.js';

/*
 * AVIF is a file of boxes (ISO/IEC 14496-12). The manifest store is in a box `uuid` behind the first box (C2PA 2.2,
 * A.5). The hash goes over boxes instead of ranges (18.7), and each box is hashed with its place.
 */

/** The type of the boxes of C2PA. */
const storeUuid = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
/** Version and flags, what the box is for, and the place of further boxes of C2PA: there are none. */
const storeHead = Buffer.concat([Buffer.alloc(4), Buffer.from('manifest\0'), Buffer.alloc(8)]);
const headBytes = 8;
type Fields = ReadonlyMap<unknown, unknown>;
/** Pictures have fewer than ten. */
const mostBoxes = 1_000;

interface FileBox {
  readonly type: string;
  readonly start: number;
  /** Where its content begins. */
  readonly body: number;
  readonly end: number;
}

export function isAvif(bytes: Buffer): boolean {
  return bytes.toString('latin1', 4, 8) === 'ftyp' && /^avi[fs]$/.test(bytes.toString('latin1', 8, 12));
}

export function storeBox(store: Buffer): Buffer {
  return box('uuid', storeUuid, storeHead, store);
}

/** @throws RangeError if a box ends too early */
export function storeOfAvif(bytes: Buffer) {
  for (const { start, body, end } of boxesIn(bytes)) {
    if (!isOfC2pa(bytes, start)) continue;
    const content = bytes.subarray(body + storeUuid.length, end);
    // Updates of a manifest, and trees of hashes, have other purposes and are not read here.
    const isStore = content.subarray(4, 13).equals(storeHead.subarray(4, 13));
    if (isStore) return { store: content.subarray(storeHead.length), place: { start, length: end - start } };
  }
  return undefined;
}

const isOfC2pa = (bytes: Buffer, start: number): boolean =>
  bytes.toString('latin1', start + 4, start + headBytes) === 'uuid' &&
  bytes.subarray(start + headBytes, start + headBytes + storeUuid.length).equals(storeUuid);

/** @throws RangeError if a box ends too early */
function* boxesIn(bytes: Buffer, from = 0, end = bytes.length): Generator<FileBox> {
  let count = 0;
  for (let start = from; start < end;) {
    const short = bytes.readUInt32BE(start);
    const isLong = short === 1;
    // The length 0 stands for the rest.
    const length = isLong ? Number(bytes.readBigUInt64BE(start + headBytes)) : short || end - start;
    const body = start + (isLong ? 2 : 1) * headBytes;
    if (start + length > end || start + length < body) throw new RangeError('a box ends too early');
    if ((count += 1) > mostBoxes) throw new RangeError('there are too many boxes');
    yield { type: bytes.toString('latin1', start + 4, start + headBytes), start, body, end: start + length };
    start += length;
  }
}

/**
 * The boxes of a picture once they have moved: the box `iloc` says where in the file the data of the picture is.
 * @throws RangeError if a box ends too early
 */
export function moved(boxes: Buffer, byBytes: number): Buffer {
  const copy = Buffer.from(boxes);
  for (const meta of boxesIn(copy)) {
    if (meta.type !== 'meta') continue;
    // Version and flags come before its own boxes.
    for (const { type, body, end } of boxesIn(copy, meta.body + 4, meta.end))
      if (type === 'iloc') moveItems(copy.subarray(body, end), byBytes);
  }
  return copy;
}

/** ISO/IEC 14496-12, 8.11.3. Items that are not at a place in the file keep theirs. */
function moveItems(iloc: Buffer, byBytes: number): void {
  const version = iloc.readUInt8(0);
  const [sizes, more] = [iloc.readUInt8(4), iloc.readUInt8(5)];
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 4, sizes & 15, more >> 4];
  const indexBytes = version === 0 ? 0 : more & 15;
  const wide = version < 2 ? 2 : 4;
  let at = 6;
  const count = iloc.readUIntBE(at, wide);
  at += wide;
  for (let item = 0; item < count; item++) {
    at += wide;
    const isInFile = version === 0 || (iloc.readUInt16BE(at) & 15) === 0;
    at += version === 0 ? 2 : 4;
    if (isInFile && baseBytes > 0) add(iloc, at, baseBytes, byBytes);
    at += baseBytes;
    const extents = iloc.readUInt16BE(at);
    at += 2;
    for (let extent = 0; extent < extents; extent++) {
      at += indexBytes;
      if (isInFile && baseBytes === 0 && offsetBytes > 0) add(iloc, at, offsetBytes, byBytes);
      at += offsetBytes + lengthBytes;
    }
  }
}

function add(bytes: Buffer, at: number, size: number, more: number): void {
  if (size === 8) bytes.writeBigUInt64BE(bytes.readBigUInt64BE(at) + BigInt(more), at);
  else bytes.writeUInt32BE(bytes.readUInt32BE(at) + more, at);
}

/** What our hash leaves out: the store itself, and two boxes that C2PA excepts (18.7.1). */
export const boxesLeftOut = [
  { xpath: '/uuid', data: [{ offset: headBytes, value: storeUuid }] },
  { xpath: '/ftyp' },
  { xpath: '/mfra' },
];
const pathsLeftOut = boxesLeftOut.map(({ xpath }) => xpath);

/** @param parts the boxes before and behind the gap. @throws RangeError if a box ends too early */
export function digestOfBoxes(
  [before, after]: readonly [Buffer, Buffer],
  { start, length }: { readonly start: number; readonly length: number },
): Buffer {
  const digest = createHash('sha256');
  hashBoxes(digest, before, 0, pathsLeftOut);
  hashBoxes(digest, after, start + length, pathsLeftOut);
  return digest.digest();
}

/** @param at where the boxes begin in their file. @throws RangeError if a box ends too early */
function hashBoxes(digest: Hash, boxes: Buffer, at: number, without: readonly string[]): void {
  const place = Buffer.alloc(8);
  for (const { type, start, end } of boxesIn(boxes)) {
    if (type === 'uuid' ? isOfC2pa(boxes, start) : without.includes(`/${type}`)) continue;
    place.writeBigUInt64BE(BigInt(at + start));
    digest.update(place).update(boxes.subarray(start, end));
  }
}

/** Boxes that a hash may leave out without a change of the picture: those of C2PA, and empty ones. */
const harmless = new Set([...pathsLeftOut, '/free', '/skip']);

/**
 * Whether the boxes beside the manifest have the hash that was signed. Undefined: it leaves out more than is known here
 * to be harmless, or is a tree of hashes.
 */
export function boxesHold(file: Buffer, binding: Fields, algorithm: string): boolean | undefined {
  const exclusions = binding.get('exclusions') as Fields[];
  const paths = exclusions.map((each) => String(each.get('xpath')));
  // A condition, or a part of a box, has further fields.
  const fieldsOf = (each: Fields) => [...each.values()].filter((value) => value !== null).length;
  const isKnown = exclusions.every(
    (each, index) => harmless.has(paths[index]!) && fieldsOf(each) === (paths[index] === '/uuid' ? 2 : 1),
  );
  if (!isKnown || !paths.includes('/uuid') || binding.has('merkle')) return undefined;
  try {
    const stores = [...boxesIn(file)].filter(({ start }) => isOfC2pa(file, start));
    const digest = createHash(algorithm);
    hashBoxes(digest, file, 0, paths);
    return stores.length === 1 && digest.digest().equals(binding.get('hash') as Uint8Array);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
